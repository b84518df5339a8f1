/**
 * THIRD-PARTY-NOTICES.txt: the license texts of the packages that Sluice ships, each text once. Texts come from the installed
 * packages. Packages for one platform are not installed everywhere, so that only their license is named: its text is at the end.
 */

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DECISIONS, licenseOf, refusedLicenses } from './licenses.ts';
import { COPIED } from './sbom.ts';
import { idOf, readLock, type ShippedPackage, shippedPackages } from './shipped-packages.ts';

const LICENSE_FILE = /^(?:licen[cs]e|copying|notice|copyright|third.?party)[^/]*$/i;
const TEXTS = join(import.meta.dirname, 'license-texts');
const RULE = '='.repeat(100);

const HEAD = `Third-party notices of Sluice

Sluice includes the packages below. Each is under its own license. The bill of materials (sbom.cdx.json) has their versions,
hashes, and dependencies. \`npm run docs\` generates this file from package-lock.json and the installed packages.

FFmpeg is a separate program. The container image installs it from Debian, which has the license in
/usr/share/doc/ffmpeg/copyright and the source at https://sources.debian.org/src/ffmpeg/. The package @ffmpeg-installer holds
a binary under version 3 of the GNU General Public License. Anyone who passes that binary on must also offer its source:
https://johnvansickle.com/ffmpeg/ has the source for Linux. To ship none, remove node_modules/@ffmpeg-installer/<platform>.

${COPIED.in} holds a copy of ${COPIED.name}@${COPIED.version} (${COPIED.license}). ${COPIED.copyright}

The packages @img/sharp-libvips-<platform> hold libvips and other libraries; the README.md of each lists them with their licenses.

Node.js is under the MIT License: https://github.com/nodejs/node/blob/main/LICENSE, also for what it includes.
`;

/**
 * The text for the repository at `root`. Throws if a package's license is not allowed, if a package is not installed, or if it
 * has no text and its license has none in license-texts.
 */
export function renderNotices(root: string): string {
  const packages = shippedPackages(readLock(root));
  const refused = refusedLicenses(packages);
  if (refused.length > 0)
    throw new Error(`Licenses that scripts/supply-chain/licenses.ts does not allow:\n${refused.join('\n')}`);
  const sections = new Map<string, ShippedPackage[]>();
  const named: ShippedPackage[] = [];
  for (const each of packages) {
    const text = each.isEverywhere ? textOf(root, each) : null;
    if (text === null) named.push(each);
    else sections.set(text, [...(sections.get(text) ?? []), each]);
  }
  const parts = [
    HEAD,
    ...[...sections].map(([text, users]) => section(users, text)),
    section(
      named,
      'Their license texts are below. They ship no text of their own, or depend on the machine.',
      (each) => (each.isEverywhere ? authorIn(root, each) : ''),
    ),
    ...standardTexts(named),
  ];
  return `${parts.join(`\n${RULE}\n\n`).trimEnd()}\n`;
}

function section(
  users: readonly ShippedPackage[],
  text: string,
  authorOf = (_: ShippedPackage) => '',
): string {
  const names = users.map((each) => {
    const remarks = [authorOf(each), DECISIONS[each.name]?.reason ?? ''].filter((remark) => remark !== '');
    return [`${idOf(each)} (${licenseOf(each)})`, ...remarks].join('\n  ');
  });
  return `${names.join('\n')}\n\n${text}\n`;
}

/** The copyright line of a package without a license text, as far as its package.json has one. */
function authorIn(root: string, each: ShippedPackage): string {
  const { author } = JSON.parse(readFileSync(join(folderOf(root, each), 'package.json'), 'utf8'));
  const name: string | undefined = typeof author === 'string' ? author : author?.name;
  return name === undefined ? '' : `Copyright ${name}`;
}

function folderOf(root: string, { folders, name, version }: ShippedPackage): string {
  const folder = folders.map((each) => join(root, each)).find((each) => existsSync(each));
  if (folder === undefined) throw new Error(`${name}@${version} is not installed: run \`npm ci\``);
  return folder;
}

/** What the package itself ships; null if nothing. */
function textOf(root: string, each: ShippedPackage): string | null {
  const folder = folderOf(root, each);
  const texts = readdirSync(folder)
    .filter((file) => LICENSE_FILE.test(file) && statSync(join(folder, file)).isFile())
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8'));
  if (texts.length === 0) return null;
  return texts.map(plain).join('\n\n');
}

/** Without carriage returns and spaces at the end of lines, so that the same license is the same text. */
function plain(text: string): string {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
    .map((line) => line.trimEnd())
    .join('\n')
    .trim();
}

const TEXT_OF: Readonly<Record<string, readonly string[]>> = {
  'Apache-2.0': ['Apache-2.0.txt'],
  'GPL-3.0-or-later': ['GPL-3.0.txt'],
  'LGPL-2.1-only': ['LGPL-2.1.txt'],
  // Version 3 of the LGPL adds permissions to the GPL.
  'LGPL-3.0-or-later': ['LGPL-3.0.txt', 'GPL-3.0.txt'],
  MIT: ['MIT.txt'],
};

function standardTexts(packages: readonly ShippedPackage[]): string[] {
  const files = packages.flatMap((each) =>
    licenseOf(each)!
      .split(' AND ')
      .flatMap((id) => {
        const texts = TEXT_OF[id];
        if (texts === undefined) throw new Error(`${idOf(each)}: no text of ${id} in license-texts`);
        return texts;
      }),
  );
  return [...new Set(files)].sort().map((file) => {
    const text = plain(readFileSync(join(TEXTS, file), 'utf8'));
    return `${file.slice(0, -'.txt'.length)}\n\n${text}\n`;
  });
}
