// Makes the SBOM of the npm package (CycloneDX 1.6): the packages whose code is in its files, from the lock file.
// `npm sbom` lists whatever is installed instead, and is different at each run. Pure.

interface Locked {
  version: string;
  license?: string;
  resolved?: string;
  /** Subresource integrity, `sha512-…`. */
  integrity?: string;
}

export interface LockFile {
  packages: Record<string, Locked>;
}

export interface Release {
  name: string;
  version: string;
  license: string;
}

/** `folders`: keys of the lock file, as of `packagesIn`. */
export function sbomOf(release: Release, folders: readonly string[], { packages }: LockFile): object {
  const components = folders.map((folder) => {
    const locked = packages[folder];
    if (!locked) throw new Error(`${folder} is bundled, but not in the lock file`);
    return component(folder.split('node_modules/').at(-1) ?? '', locked);
  });
  const ref = purl(release.name, release.version);
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': ref,
        name: release.name,
        version: release.version,
        licenses: licenses(release.license),
        purl: ref,
      },
    },
    components,
    dependencies: [{ ref, dependsOn: components.map((each) => each['bom-ref']) }],
  };
}

function component(name: string, { version, license, resolved, integrity }: Locked) {
  const ref = purl(name, version);
  const [, digest] = /^sha512-(.+)$/.exec(integrity ?? '') ?? [];
  return {
    type: 'library',
    'bom-ref': ref,
    name,
    version,
    ...(digest !== undefined && {
      hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }],
    }),
    ...(license !== undefined && { licenses: licenses(license) }),
    purl: ref,
    ...(resolved !== undefined && { externalReferences: [{ type: 'distribution', url: resolved }] }),
  };
}

/** A single SPDX id, or an expression of several. */
function licenses(spdx: string): object[] {
  return /[ ()]/.test(spdx) ? [{ expression: spdx }] : [{ license: { id: spdx } }];
}

/** https://github.com/package-url/purl-spec: the `@` of a scope is percent-encoded. */
function purl(name: string, version: string): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}
