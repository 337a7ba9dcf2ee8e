// Loaded first by `npm run proxy`: reads the variables of .env, if there is one, as Node's --env-file-if-exists does.
// That prints a line of its own about a missing file, and the log is JSON from its first byte.
try {
  process.loadEnvFile('.env');
} catch (error) {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'not in the form NAME=value';
  if (code !== 'ENOENT') {
    const time = new Date().toISOString();
    console.log(JSON.stringify({ level: 'fatal', time, event: 'not started', error: `.env cannot be read: ${code}` }));
    process.exit(1);
  }
}
