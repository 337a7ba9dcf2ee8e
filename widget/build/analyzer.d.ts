// Types of the parts of the analyzer that manifest.ts uses. Its own declarations lack `create` and all plugins.
declare module '@custom-elements-manifest/analyzer' {
  export const ts: {
    createSourceFile(name: string, text: string, target: number, setParents: boolean): unknown;
    ScriptTarget: { ES2015: number };
  };
  export function create(what: { modules: unknown[]; plugins: unknown[] }): import('./manifest.ts').Manifest;
}

declare module '@custom-elements-manifest/analyzer/src/features/framework-plugins/lit/lit.js' {
  export function litPlugin(): unknown[];
}
