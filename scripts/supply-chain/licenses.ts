/**
 * Licenses of what is shipped: which ones may be, by SPDX identifier (https://spdx.org/licenses/). A package under another
 * license fails the check of generated documents, until someone decides and writes the reason here.
 */

import { idOf, type ShippedPackage } from './shipped-packages.ts';

/** Licenses that allow to ship the package with closed source, if the notice goes along. */
export const ALLOWED_LICENSES: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'MIT-0',
  // Changes to its own files must be published. Sluice changes none.
  'MPL-2.0',
  // Loaded as a library that the recipient can replace: libvips, in its own package.
  'LGPL-3.0-or-later',
]);

interface Decision {
  /** SPDX expression under which Sluice ships the package. */
  readonly license: string;
  readonly reason: string;
}

/** The program is started as a process of its own; GPL version 3 covers it and not what starts it. */
const FFMPEG_BINARY: Decision = {
  license: 'GPL-3.0-or-later',
  reason:
    'A separate program. Anyone who passes the binary on must also offer its source: https://johnvansickle.com/ffmpeg/ for Linux.',
};

/** Packages whose lock entry is missing, wrong, or not allowed in general. By name: a license seldom changes with the version. */
export const DECISIONS: Readonly<Record<string, Decision>> = {
  '@ffmpeg-installer/darwin-arm64': FFMPEG_BINARY,
  '@ffmpeg-installer/darwin-x64': FFMPEG_BINARY,
  '@ffmpeg-installer/linux-arm': FFMPEG_BINARY,
  '@ffmpeg-installer/linux-arm64': FFMPEG_BINARY,
  '@ffmpeg-installer/linux-ia32': FFMPEG_BINARY,
  '@ffmpeg-installer/linux-x64': FFMPEG_BINARY,
  '@ffmpeg-installer/win32-ia32': FFMPEG_BINARY,
  '@ffmpeg-installer/win32-x64': FFMPEG_BINARY,
  '@ffmpeg-installer/ffmpeg': {
    license: 'LGPL-2.1-only',
    reason: 'A short script that finds the binary, shipped unchanged and as source.',
  },
  async: { license: 'MIT', reason: 'Its package.json names the license in an outdated field.' },
  'dom-walk': { license: 'MIT', reason: 'Its package.json names the license in an outdated field.' },
  'node-forge': {
    license: 'BSD-3-Clause',
    reason: 'Offered under BSD-3-Clause or GPL-2.0: the first is chosen.',
  },
};

/** The SPDX expression under which Sluice ships the package. */
export function licenseOf({ name, license }: ShippedPackage): string | undefined {
  return DECISIONS[name]?.license ?? license;
}

/** One line for each package whose license is neither allowed nor decided. */
export function refusedLicenses(packages: readonly ShippedPackage[]): string[] {
  return packages
    .filter((each) => DECISIONS[each.name] === undefined && !isAllowed(each.license))
    .map((each) => `${idOf(each)}: ${each.license ?? 'names no license'}`);
}

/** "A AND B" needs both; anything else in an expression is for a person to decide. */
function isAllowed(expression: string | undefined): boolean {
  return expression?.split(' AND ').every((id) => ALLOWED_LICENSES.has(id)) ?? false;
}
