// The OpenAPI document: its references, routes and server.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Operation } from '../documented.ts';
import { createWorld, readDocument } from '../world.ts';

it('/openapi.json is OpenAPI 3.1 with valid references and a description of every path parameter', async (t) => {
  const world = await createWorld(t);
  const document = await readDocument(world.proxy);
  assert.equal(document.openapi, '3.1.0');
  const references = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(
    ([, name = '']) => name,
  );
  assert.ok(references.length > 20);
  for (const name of references) assert.ok(document.components.schemas[name], name);
  const tags = document.tags.map(({ name }) => name);
  const all = [...Object.values(document.paths), ...Object.values(document.webhooks)].flatMap((item) =>
    Object.values<Operation>(item),
  );
  assert.equal(new Set(all.map(({ operationId }) => operationId)).size, all.length, 'each name is given once');
  for (const [path, operations] of Object.entries({ ...document.paths, ...document.webhooks })) {
    for (const [method, operation] of Object.entries(operations)) {
      const name = `${method} ${path}`;
      assert.ok(operation.summary, name);
      assert.match(operation.operationId, /^[a-z]+(?:[A-Z][a-z]+)+$/);
      assert.ok(operation.security, `${name} says whether it needs a token`);
      assert.deepEqual(tags.filter((tag) => operation.tags.includes(tag)).length, 1, name);
      if (!path.startsWith('/')) continue;
      const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
      assert.deepEqual(
        inPath.map((parameter) => `{${parameter.name}}`),
        path.match(/\{[^}]+\}/g) ?? [],
        name,
      );
      assert.ok(
        inPath.every(({ required }) => required),
        name,
      );
      for (const scheme of operation.security ?? []) {
        for (const used of Object.keys(scheme))
          assert.ok(document.components.securitySchemes[used], `${name}: ${used}`);
      }
      for (const [status, response] of Object.entries(operation.responses)) {
        assert.match(status, /^[1-5][0-9]{2}$/, name);
        assert.ok(response.description, `${name} ${status}`);
        if (Number(status) >= 400)
          assert.deepEqual(Object.keys(response.content ?? {}), ['application/problem+json'], `${name} ${status}`);
      }
      assert.ok(operation.responses['500'] && operation.responses['503'], name);
    }
  }
});

it('/openapi.json names PUBLIC_URL or its own folder as the server, whatever the Host of the request', async (t) => {
  const here = await createWorld(t);
  const read = async (world: typeof here, url: string) =>
    ((await (await world.proxy.app.request(url)).json()) as { servers: unknown }).servers;
  assert.deepEqual(await read(here, 'https://pay.example/openapi.json?x'), [{ url: '.' }]);
  const answer = await here.proxy.app.request('http://127.0.0.1/openapi.json', { headers: { Host: 'evil.example' } });
  assert.equal(answer.headers.get('cache-control'), 'public, max-age=60');
  assert.doesNotMatch(await answer.text(), /evil\.example|127\.0\.0\.1/);
  const there = await createWorld(t, { config: { publicUrl: 'https://pay.example/base/' } });
  assert.deepEqual(await read(there, 'http://127.0.0.1:8787/openapi.json'), [{ url: 'https://pay.example/base' }]);
});
