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
  webhooks: { valid: boolean }[];
};
const CLAIMS = { orderId: 'A-1', amount: '10.10', currency: 'EUR', returnUrl: 'https://shop.example/thanks' };
const SIGNED = { ...CLAIMS, description: 'Ein Päckchen für 10,10 €', iat: now, exp: now + 3600 };

interface Language extends Program {
  name: string;
  args?: readonly string[];
  /** Prints {"token", "verified"} for the vectors and claims beside it. */
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
      $verified = array_map(fn($w) => verify_webhook($w['body'], $w['headers'], $v['webhookSecret'], $v['now']) !== null, $v['webhooks']);
      $claims = json_decode(file_get_contents('claims.json'), true);
      echo json_encode(['token' => sign_order($claims, $v['orderSecret']), 'verified' => $verified]);`,
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
v = json.load(open("vectors.json"))
verified = [verify_webhook(w["body"].encode(), w["headers"], v["webhookSecret"], v["now"]) is not None for w in v["webhooks"]]
print(json.dumps({"token": sign_order(json.load(open("claims.json")), v["orderSecret"]), "verified": verified}))`,
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
      verified = v["webhooks"].map { |w| !verify_webhook(w["body"], w["headers"], v["webhookSecret"], now: v["now"]).nil? }
      puts JSON.generate(token: sign_order(JSON.parse(File.read("claims.json")), v["orderSecret"]), verified: verified)`,
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
import ("encoding/json"; "fmt"; "net/http"; "os"; "testing"; "time")
func TestVectors(t *testing.T) {
	var v struct {
		Now                        int64
		OrderSecret, WebhookSecret string
		Webhooks                   []struct {
			Body    string
			Headers map[string]string
		}
	}
	text, _ := os.ReadFile("vectors.json")
	json.Unmarshal(text, &v)
	verified := []bool{}
	for _, w := range v.Webhooks {
		headers := http.Header{}
		for name, value := range w.Headers {
			headers.Set(name, value)
		}
		_, err := VerifyWebhook([]byte(w.Body), headers, v.WebhookSecret, time.Unix(v.Now, 0))
		verified = append(verified, err == nil)
	}
	claims := map[string]any{}
	text, _ = os.ReadFile("claims.json")
	json.Unmarshal(text, &claims)
	token, _ := SignOrder(claims, v.OrderSecret)
	out, _ := json.Marshal(map[string]any{"token": token, "verified": verified})
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
    const { token, verified } = JSON.parse(line) as { token: string; verified: boolean[] };
    const tokens = createOrderTokens([orderSecret], { allowedOrigins: ['https://shop.example'] }, () => now * 1000);
    assert.equal((await tokens.verify(token)).description, SIGNED.description);
    assert.deepEqual(
      verified,
      webhooks.map(({ valid }) => valid),
    );
  });
}
