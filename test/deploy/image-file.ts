// The Dockerfile as its lines, by stage. Comments are left out, and a continued line is one.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const [HEAD = '', ...STAGES] = readFileSync('Dockerfile', 'utf8')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, ' ')
  .split(/^FROM /m)
  .map((stage) => stage.trim());

/** The image of Node that the build and the proxy are made from. */
export const NODE_IMAGE = HEAD.replace('ARG NODE=', '');
/** The first line of each: what it is made from, and its name. The last stage is what `docker build` takes. */
export const STAGE_HEADS = STAGES.map((stage) => stage.split('\n')[0] ?? '');

/** The lines of a stage after its first. */
export function stageOf(name: string): string[] {
  const stage = STAGES.find((each) => each.split('\n')[0]?.endsWith(` AS ${name}`));
  return stage?.split('\n').slice(1) ?? assert.fail(`no stage ${name}`);
}

/** What the proxy's image sets by an instruction that it has once. */
export function setting(instruction: string): string {
  const found = stageOf('proxy').filter((line) => line.startsWith(`${instruction} `));
  assert.equal(found.length, 1, instruction);
  return found[0]?.slice(instruction.length + 1) ?? '';
}

/** `CMD ["a", "b"]`, with or without options before it. */
export function command(instruction: string): string[] {
  return JSON.parse(setting(instruction).replace(/^[^[]*/, '')) as string[];
}
