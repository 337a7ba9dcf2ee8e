// Translates the manifest into the data with which editors complete and explain the tag: VS Code's custom data (for
// HTML and for CSS) and JetBrains' web-types. Pure.
import { valuesOf, type Declaration, type Named } from './manifest.ts';

interface Release {
  name: string;
  version: string;
}

export function vscodeHtmlData(element: Declaration): object {
  return {
    version: 1.1,
    tags: [
      {
        name: element.tagName,
        description: { kind: 'markdown', value: explained(element) },
        attributes: element.attributes.map((attribute) => {
          const values = valuesOf(attribute);
          return {
            ...named(attribute),
            ...(values.length > 0 && { values: values.map((name) => ({ name })) }),
          };
        }),
      },
    ],
  };
}

export function vscodeCssData({ cssProperties }: Declaration): object {
  return { version: 1.1, properties: cssProperties.map(named) };
}

export function webTypes(element: Declaration, { name, version }: Release): object {
  const typed = (each: Named & { type?: { text: string } }) => ({ ...named(each), type: each.type?.text ?? 'unknown' });
  return {
    $schema: 'https://raw.githubusercontent.com/JetBrains/web-types/master/schema/web-types.json',
    name,
    version,
    'js-types-syntax': 'typescript',
    'description-markup': 'markdown',
    contributions: {
      html: {
        elements: [
          {
            name: element.tagName,
            description: explained(element),
            attributes: element.attributes.map((attribute) => ({
              ...named(attribute),
              value: { type: attribute.type?.text ?? 'string' },
            })),
            slots: element.slots.map(named),
            js: {
              properties: element.members.filter(({ kind }) => kind === 'field').map(typed),
              events: element.events.map(typed),
            },
            css: {
              properties: element.cssProperties.map(named),
              parts: element.cssParts.map(named),
            },
          },
        ],
      },
    },
  };
}

function named({ name, description = '' }: Named): Named {
  return { name, description };
}

/** Neither format has fields for all of these, so they are listed in the description. */
function explained({ description = '', events, slots, cssStates, members }: Declaration): string {
  const methods = members.filter(({ kind }) => kind === 'method');
  const sections: [string, Named[], (name: string) => string][] = [
    ['Events', events, (name) => name],
    ['Slots', slots, (name) => name],
    ['Methods', methods, (name) => `${name}()`],
    ['States', cssStates, (name) => `:state(${name})`],
  ];
  const lists = sections.map(([title, items, written]) => {
    const lines = items.map((item) => `- \`${written(item.name)}\`: ${item.description}`);
    return `**${title}**\n\n${lines.join('\n')}`;
  });
  return [description, ...lists].join('\n\n');
}
