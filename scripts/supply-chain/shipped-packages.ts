/** The npm packages that a running gateway may load, from package-lock.json: without what only tests need. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** An entry of `packages` in package-lock.json, as far as it is read here. */
interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** package-lock.json, lockfileVersion 3. */
export interface Lock {
  readonly version: string;
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

export interface ShippedPackage {
  readonly name: string;
  readonly version: string;
  /** As the lock spells it; undefined if the package names none there. */
  readonly license: string | undefined;
  /** Subresource Integrity of the archive, such as `sha512-…`. */
  readonly integrity: string;
  /** Where npm puts it, from the root of the repository. The same version can be in several folders. */
  readonly folders: readonly string[];
  /** npm leaves it out if it does not fit the machine. */
  readonly isOptional: boolean;
  /** Whether npm installs it on every machine: it is not a binary for one platform, and no such binary alone needs it. */
  readonly isEverywhere: boolean;
  /** `name@version` of what it needs, sorted. */
  readonly needs: readonly string[];
}

/** Reads package-lock.json below `root`. */
export function readLock(root: string): Lock {
  return JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
}

/** `name@version`: one of its kind in the bill of materials. */
export const idOf = ({ name, version }: { readonly name: string; readonly version: string }): string =>
  `${name}@${version}`;

/** Sorted by name and version. Throws if the lock has no hash of a package. */
export function shippedPackages(lock: Lock): ShippedPackage[] {
  const found = new Map<string, ShippedPackage>();
  const everywhere = foldersEverywhere(lock);
  for (const [folder, locked] of Object.entries(lock.packages)) {
    if (folder === '' || locked.dev === true) continue;
    const read = packageOf(lock, folder, locked, everywhere.has(folder));
    const known = found.get(idOf(read));
    found.set(idOf(read), known === undefined ? read : merged(known, read));
  }
  return [...found.values()].sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
}

/** What the gateway itself needs, as `name@version`, sorted. */
export function directNeeds(lock: Lock): string[] {
  return needsOf(lock, '');
}

function packageOf(lock: Lock, folder: string, locked: LockedPackage, isEverywhere: boolean): ShippedPackage {
  const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const { version, integrity } = locked;
  if (version === undefined || integrity === undefined)
    throw new Error(`package-lock.json: ${folder} has no version or hash`);
  return {
    name,
    version,
    integrity,
    isEverywhere,
    license: locked.license,
    folders: [folder],
    isOptional: locked.optional === true,
    needs: needsOf(lock, folder),
  };
}

/** The same version in two folders can find different versions of what it needs. */
function merged(a: ShippedPackage, b: ShippedPackage): ShippedPackage {
  return {
    ...a,
    folders: [...a.folders, ...b.folders],
    isOptional: a.isOptional && b.isOptional,
    isEverywhere: a.isEverywhere || b.isEverywhere,
    needs: [...new Set([...a.needs, ...b.needs])].sort(),
  };
}

function namesOf(locked: LockedPackage): string[] {
  const { dependencies, optionalDependencies, peerDependencies } = locked;
  return Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
}

function needsOf(lock: Lock, folder: string): string[] {
  const needs = namesOf(lock.packages[folder]!).flatMap((name) => {
    const found = resolve(lock, folder, name);
    // An optional peer, or one that only tests install.
    if (found === undefined || lock.packages[found]!.dev === true) return [];
    return [idOf({ name, version: lock.packages[found]!.version! })];
  });
  return [...new Set(needs)].sort();
}

/** As Node.js looks for a package: in the folder's own `node_modules`, then in each one above. */
function resolve(lock: Lock, folder: string, name: string): string | undefined {
  for (let above = folder; ; above = above.slice(0, Math.max(0, above.lastIndexOf('/node_modules/')))) {
    const candidate = above === '' ? `node_modules/${name}` : `${above}/node_modules/${name}`;
    if (lock.packages[candidate] !== undefined) return candidate;
    if (above === '') return undefined;
  }
}

/** Follows dependencies from the root, but not into binaries for one platform, nor into what is missing on a common one. */
function foldersEverywhere(lock: Lock): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (folder: string): void => {
    for (const name of namesOf(lock.packages[folder]!)) {
      const next = resolve(lock, folder, name);
      if (next === undefined || found.has(next) || isForOnePlatform(lock.packages[next]!, name)) continue;
      found.add(next);
      visit(next);
    }
  };
  visit('');
  return found;
}

/** WebAssembly builds do not say so in the lock. */
function isForOnePlatform({ os, cpu }: LockedPackage, name: string): boolean {
  return os !== undefined || cpu !== undefined || /-wasm32\b/.test(name);
}
