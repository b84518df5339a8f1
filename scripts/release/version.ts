/** Versions of releases (https://semver.org), and where the repository has its own. */

const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/;

/** Negative if `a` is older. Throws if one is not MAJOR.MINOR.PATCH: pre-releases are not released. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map(numbersOf) as [number[], number[]];
  const at = left.findIndex((number, index) => number !== right[index]);
  return at < 0 ? 0 : left[at]! - right[at]!;
}

function numbersOf(version: string): number[] {
  const match = VERSION.exec(version);
  if (match === null) throw new Error(`${version}: expected MAJOR.MINOR.PATCH, such as 1.4.0`);
  return match.slice(1).map(Number);
}

/** The version that package.json or package-lock.json names first: its own. Throws if there is none. */
export function versionIn(json: string): string {
  const { version } = JSON.parse(json) as { readonly version?: string };
  if (version === undefined) throw new Error('package.json names no version');
  return version;
}

/** The text with another version of its own. package-lock.json has it twice; everything else stays as npm wrote it. */
export function withVersion(json: string, version: string): string {
  const before = `"version": "${versionIn(json)}"`;
  const after = `"version": "${version}"`;
  const isLock = 'lockfileVersion' in JSON.parse(json);
  const once = json.replace(before, after);
  return isLock ? once.replace(/("": \{\s+"name": "[^"]+",\s+)"version": "[^"]+"/, `$1${after}`) : once;
}
