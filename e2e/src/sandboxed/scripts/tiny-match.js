exports.matches = (text, patterns) => patterns.some((it) => text.startsWith(it.replace('*', '')));
