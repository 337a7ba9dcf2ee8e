// Makes the element's manifest (custom-elements.json): the analyzer reads the class and its doc comments, and the
// result is reduced to what the package publishes: one module without private members. The types for frameworks
// (frameworks.ts) are made from it, so everything is documented once, above the class.
import { readFileSync } from 'node:fs';
import { create, ts } from '@custom-elements-manifest/analyzer';
// Without this plugin, which its command line loads, the analyzer ignores Lit's `static properties`.
import { litPlugin } from '@custom-elements-manifest/analyzer/src/features/framework-plugins/lit/lit.js';

export interface Named {
  name: string;
  description?: string;
}

export interface Typed extends Named {
  type?: { text: string };
}

export interface Member extends Typed {
  kind: 'field' | 'method';
  privacy?: 'public' | 'private' | 'protected';
  static?: boolean;
  readonly?: boolean;
  default?: string;
  attribute?: string;
}

export interface Attribute extends Typed {
  default?: string;
  fieldName?: string;
}

export interface Declaration extends Named {
  tagName: string;
  members: Member[];
  attributes: Attribute[];
  events: Typed[];
  slots: Named[];
  cssParts: Named[];
  cssProperties: Named[];
  cssStates: Named[];
}

export interface Manifest {
  schemaVersion: string;
  readme: string;
  modules: { kind: string; path: string; declarations: Declaration[]; exports: unknown[] }[];
}

const SOURCES = ['widget/payment-widget.ts', 'widget/index.ts'];

/** `root`: the project's folder. `entry`: the package's module that exports and defines the element. */
export function readManifest(root: string, entry: string): Manifest {
  const texts = SOURCES.map((name) => readFileSync(`${root}/${name}`, 'utf8'));
  const modules = SOURCES.map((name, index) =>
    ts.createSourceFile(name, texts[index] ?? '', ts.ScriptTarget.ES2015, true),
  );
  const { schemaVersion, modules: found } = create({ modules, plugins: litPlugin() });
  const element = found.flatMap(({ declarations }) => declarations).find(({ tagName }) => tagName);
  if (!element) throw new Error(`${SOURCES.join(', ')} document no element`);
  const declaration = { name: element.name, module: entry };
  return {
    schemaVersion,
    readme: 'README.md',
    modules: [
      {
        kind: 'javascript-module',
        path: entry,
        declarations: [published(element, texts.join('\n'))],
        exports: [
          { kind: 'js', name: element.name, declaration },
          { kind: 'custom-element-definition', name: element.tagName, declaration },
        ],
      },
    ],
  };
}

export function elementOf({ modules }: Manifest): Declaration {
  const element = modules[0]?.declarations[0];
  if (!element) throw new Error('the manifest has no element');
  return element;
}

/** `@attr` tags describe attributes, and fields without a comment; the analyzer prefers the field's comment. */
function published(element: Declaration, source: string): Declaration {
  const tags = attributeTags(source);
  const tagOf = (name: string | undefined) => (name === undefined ? undefined : tags.get(name));
  return {
    ...element,
    members: element.members
      .filter((member) => (member.privacy ?? 'public') === 'public' && !member.static)
      .map((member) => ({ ...member, description: member.description ?? tagOf(member.attribute)?.description ?? '' })),
    attributes: element.attributes.map((attribute) => ({ ...attribute, ...tagOf(attribute.name) })),
  };
}

/** `@attr {type} name - description`, by name. */
function attributeTags(source: string): Map<string, Pick<Typed, 'type' | 'description'>> {
  const tags = source.matchAll(/^ \* @attr \{(.+?)\} ([\w-]+) - (.+)$/gm);
  return new Map(
    [...tags].map(([, type = '', name = '', description = '']) => [
      name,
      { type: { text: asTypeScript(type) }, description },
    ]),
  );
}

/** `A|B` → `'A' | 'B'`; any other type is left unchanged. */
function asTypeScript(type: string): string {
  if (!/^\w+(\|\w+)+$/.test(type)) return type;
  return type
    .split('|')
    .map((word) => `'${word}'`)
    .join(' | ');
}
