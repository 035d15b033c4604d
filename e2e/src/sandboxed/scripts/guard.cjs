const { matches } = require('tiny-match');

let text = '';
process.stdin.on('data', (piece) => (text += piece));
process.stdin.on('end', () => {
  const command = JSON.parse(text).tool_input?.command ?? '';
  if (matches(command, ['npm publish*', 'git push --force*'])) {
    console.error(`held: ${command}`);
    process.exit(2);
  }
});
