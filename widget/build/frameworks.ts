// Makes the types of the tag for templates of React 19, Vue 3 and Svelte 5: its attributes, properties and listeners.
// The names come from the manifest and the types from the class (`PaymentWidget['order']`), so the compiler finds any
// disagreement. Each module also defines the element, so that a page needs only one import.
import type { Attribute, Declaration, Named } from './manifest.ts';

export const FRAMEWORKS = ['react', 'vue', 'svelte'] as const;
type Framework = (typeof FRAMEWORKS)[number];

const HEAD = `// Generated from custom-elements.json.
import type { PaymentEventMap, PaymentWidget } from './index.js';`;

/**
 * The module beside the types. In React's server components, `use client` sends it to the browser, which has to define
 * the element. Next.js does not support `export *` in such a module.
 */
export function frameworkModule(framework: Framework, entry: string): string {
  const directive = framework === 'react' ? "'use client';\n" : '';
  return `${directive}export { PaymentWidget } from './${entry}';\n`;
}

export function frameworkTypes(framework: Framework, element: Declaration): string {
  return WRITERS[framework](element);
}

const WRITERS: Record<Framework, (element: Declaration) => string> = {
  /** React 19 sets an element's properties, and `onpayment-success` listens to `payment-success`. */
  react: (element) => `${HEAD}
import type { DetailedHTMLProps, HTMLAttributes } from 'react';

export * from './index.js';

interface Props {
${props(element)}
${listeners(element)}
}

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      '${element.tagName}': DetailedHTMLProps<HTMLAttributes<PaymentWidget>, PaymentWidget> & Props;
    }
  }
}
`,

  vue: (element) => `${HEAD}
import type { HTMLAttributes, PublicProps } from 'vue';

export * from './index.js';

interface Props {
${props(element)}
}

interface Emit {
${element.events.map(({ name }) => `  (name: '${name}', event: PaymentEventMap['${name}']): void;`).join('\n')}
}

declare module 'vue' {
  interface GlobalComponents {
    '${element.tagName}': new () => PaymentWidget & { $props: Props & HTMLAttributes & PublicProps; $emit: Emit };
  }
}
`,

  svelte: (element) => `${HEAD}
import type { HTMLAttributes } from 'svelte/elements';

export * from './index.js';

interface Props {
${props(element)}
${listeners(element)}
}

declare module 'svelte/elements' {
  interface SvelteHTMLElements {
    '${element.tagName}': HTMLAttributes<PaymentWidget> & Props;
  }
}
`,
};

/** Settable properties, and the attributes whose names differ from their property's. */
function props({ members, attributes }: Declaration): string {
  const fields = members.filter(({ kind, readonly }) => kind === 'field' && !readonly);
  const isField = (name: string | undefined) => fields.some((field) => field.name === name);
  const others = attributes.filter(({ name }) => !isField(name));
  const typeOf = ({ fieldName, type }: Attribute) =>
    isField(fieldName) ? `PaymentWidget['${fieldName}']` : (type?.text ?? 'string');
  return [
    ...fields.map((field) => line(field, field.name, `PaymentWidget['${field.name}']`)),
    ...others.map((attribute) => line(attribute, `'${attribute.name}'`, typeOf(attribute))),
  ].join('\n');
}

function listeners({ events }: Declaration): string {
  return events
    .map((event) => line(event, `'on${event.name}'`, `((event: PaymentEventMap['${event.name}']) => void)`))
    .join('\n');
}

function line({ description }: Named, key: string, type: string): string {
  const comment = description ? `  /** ${description} */\n` : '';
  return `${comment}  ${key}?: ${type} | undefined;`;
}
