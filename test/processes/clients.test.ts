// docs/clients/ in each language: what it signs the proxy accepts, and it verifies of docs/vectors.json what it should.
// A language that is not on the PATH comes from Debian's packages, or its row is skipped with the reason.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { createOrderTokens } from '../../backend-proxy/orders/order-token.ts';
import { findProgram, PHP, type Program } from '../debian-package.ts';

const run = promisify(execFile);
const RUN_WITHIN_MS = 120_000;
const { now, orderSecret, webhooks } = JSON.parse(readFileSync('docs/vectors.json', 'utf8')) as {
  now: number;
  orderSecret: string;
  webhooks: { valid: boolean; secret?: string }[];
};
const CLAIMS = { orderId: 'A-1', amount: '10.10', currency: 'EUR', returnUrl: 'https://shop.example/thanks' };
const SIGNED = { ...CLAIMS, description: 'Ein Päckchen für 10,10 €', iat: now, exp: now + 3600 };

interface Language extends Program {
  name: string;
  args?: readonly string[];
  /** Prints {"token", "refused", "verified"} for the vectors and claims beside it; `throws` for a wrong secret. */
  main: [file: string, text: string];
  client: string;
}

const LANGUAGES: readonly Language[] = [
  {
    name: 'PHP',
    ...PHP,
    client: 'payments.php',
    main: [
      'main.php',
      `<?php
      require 'payments.php';
      $v = json_decode(file_get_contents('vectors.json'), true);
      function outcome(callable $run): bool|string { try { return $run() !== null; } catch (InvalidArgumentException) { return 'throws'; } }
      // Some frameworks have a list for each header.
      $headers = fn($w) => [...$w['headers'], 'webhook-id' => [$w['headers']['webhook-id']]];
      $verify = fn($w) => verify_webhook($w['body'], $headers($w), $w['secret'] ?? $v['webhookSecret'], $v['now']);
      $verified = array_map(fn($w) => outcome(fn() => $verify($w)), $v['webhooks']);
      $claims = json_decode(file_get_contents('claims.json'), true);
      $refused = outcome(fn() => sign_order($claims, substr($v['orderSecret'], 0, 31)));
      echo json_encode(['token' => sign_order($claims, $v['orderSecret']), 'refused' => $refused, 'verified' => $verified]);`,
    ],
  },
  {
    name: 'Python',
    command: 'python3',
    client: 'payments.py',
    main: [
      'main.py',
      `
import json
from payments import sign_order, verify_webhook
v, claims = json.load(open("vectors.json")), json.load(open("claims.json"))
def outcome(run, *args):
    try:
        return run(*args) is not None
    except ValueError:
        return "throws"
verified = [outcome(verify_webhook, w["body"].encode(), w["headers"], w.get("secret", v["webhookSecret"]), v["now"]) for w in v["webhooks"]]
refused = outcome(sign_order, claims, v["orderSecret"][:31])
print(json.dumps({"token": sign_order(claims, v["orderSecret"]), "refused": refused, "verified": verified}))`,
    ],
  },
  {
    name: 'Ruby',
    command: 'ruby',
    client: 'payments.rb',
    debian: { packages: ['ruby3.1', 'libruby3.1', 'libyaml-0-2'], binary: 'usr/bin/ruby3.1' },
    main: [
      'main.rb',
      `
      require_relative "payments"
      v = JSON.parse(File.read("vectors.json"))
      outcome = ->(&run) { !run.call.nil? rescue ArgumentError == $!.class ? "throws" : raise }
      verified = v["webhooks"].map do |w|
        outcome.() { verify_webhook(w["body"], w["headers"], w["secret"] || v["webhookSecret"], now: v["now"]) }
      end
      claims = JSON.parse(File.read("claims.json"))
      refused = outcome.() { sign_order(claims, v["orderSecret"][0, 31]) }
      puts JSON.generate(token: sign_order(claims, v["orderSecret"]), refused: refused, verified: verified)`,
    ],
  },
  {
    name: 'Go',
    command: 'go',
    args: ['test', '-v', './...'],
    client: 'payments.go',
    main: [
      'payments_test.go',
      `package payments
import ("encoding/json"; "errors"; "fmt"; "net/http"; "os"; "testing"; "time")
func outcome(err error) any {
	if errors.Is(err, ErrSecret) {
		return "throws"
	}
	return err == nil
}
func TestVectors(t *testing.T) {
	var v struct {
		Now                        int64
		OrderSecret, WebhookSecret string
		Webhooks                   []struct {
			Body    string
			Headers map[string]string
			Secret  *string
		}
	}
	text, _ := os.ReadFile("vectors.json")
	json.Unmarshal(text, &v)
	verified := []any{}
	for _, w := range v.Webhooks {
		headers := http.Header{}
		for name, value := range w.Headers {
			headers.Set(name, value)
		}
		if w.Secret == nil {
			w.Secret = &v.WebhookSecret
		}
		_, err := VerifyWebhook([]byte(w.Body), headers, *w.Secret, time.Unix(v.Now, 0))
		verified = append(verified, outcome(err))
	}
	claims := map[string]any{}
	text, _ = os.ReadFile("claims.json")
	json.Unmarshal(text, &claims)
	token, _ := SignOrder(claims, v.OrderSecret)
	_, short := SignOrder(claims, v.OrderSecret[:31])
	out, _ := json.Marshal(map[string]any{"token": token, "refused": outcome(short), "verified": verified})
	fmt.Println(string(out))
}`,
    ],
  },
];

for (const language of LANGUAGES) {
  test(`docs/clients/${language.client} signs and verifies as docs/vectors.json says`, async (t) => {
    const found = await findProgram(language);
    if (typeof found === 'string') return t.skip(found);
    const folder = mkdtempSync(join(tmpdir(), 'client-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const [main, text] = language.main;
    const write = (name: string, content: string) => writeFileSync(join(folder, name), content);
    write(main, text);
    write('claims.json', JSON.stringify(SIGNED));
    for (const path of ['docs/vectors.json', `docs/clients/${language.client}`]) {
      write(path.slice(path.lastIndexOf('/') + 1), readFileSync(resolve(path), 'utf8'));
    }
    const env = { ...process.env, GO111MODULE: 'off', GOFLAGS: '', GOCACHE: join(folder, '.cache'), ...found.env };
    const options = { cwd: folder, env, timeout: RUN_WITHIN_MS };
    const { stdout } = await run(found.path, language.args ?? [main], options);
    const [line = ''] = /^\{.*\}$/m.exec(stdout) ?? [];
    const { token, ...outcomes } = JSON.parse(line) as { token: string };
    const tokens = createOrderTokens([orderSecret], { allowedOrigins: ['https://shop.example'] }, () => now * 1000);
    assert.equal((await tokens.verify(token)).description, SIGNED.description);
    const verified = webhooks.map(({ valid, secret }) => (secret === undefined ? valid : 'throws'));
    assert.deepEqual(outcomes, { refused: 'throws', verified });
  });
}
