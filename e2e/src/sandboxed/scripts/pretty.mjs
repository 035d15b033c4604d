// Formats what was written, in place, as formatters of the npm world do.
import { readFileSync, writeFileSync } from 'node:fs';

const call = JSON.parse(readFileSync(0, 'utf8'));
const file = call.tool_input?.file_path ?? '';
if (!/\.(js|ts|css)$/.test(file)) process.exit(0);
const text = readFileSync(file, 'utf8');
const pretty = text.split('\n').map((line) => line.trimEnd()).join('\n').replace(/\n*$/, '\n');
if (pretty !== text) writeFileSync(file, pretty);
console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: `formatted ${file.split('/').pop()}` } }));
