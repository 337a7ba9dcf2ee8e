// Imported first by what installs or builds: takes the proxy's settings out of this process's environment before any package is
// loaded or started, for they hold secrets and no build needs them. By their beginnings, so that one added later, or its `_FILE`,
// is taken out too.
// Plain JavaScript without imports, because demo/install.mjs runs on whatever Node started npm.
const SETTINGS = /^(GATEWAY|ORDER|MERCHANT|IPN|WEBHOOK|METRICS|DATABASE|DESK)_|^PG[A-Z]/i;

for (const name of Object.keys(process.env)) {
  if (SETTINGS.test(name)) delete process.env[name];
}
