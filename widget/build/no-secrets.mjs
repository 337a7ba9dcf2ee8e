// Removes the proxy's settings from the environment before any package is loaded or started: they hold secrets and no
// build needs them. Programs that install or build import it first. Settings are matched by prefix, so that new ones
// and their `_FILE` forms are removed too. Plain JavaScript without imports, because install.mjs runs on whatever Node
// started npm.
const SETTINGS = /^(GATEWAY|ORDER|MERCHANT|IPN|WEBHOOK|METRICS|ADMIN|DATABASE|DESK)_|^PG[A-Z]/i;

for (const name of Object.keys(process.env)) {
  if (SETTINGS.test(name)) delete process.env[name];
}
