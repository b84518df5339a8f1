/** The pictures of the console in docs/guide: their names, how they are kept, and the part of the guide that shows them. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import sharp from 'sharp';

const GUIDE_FOLDER = resolve(import.meta.dirname, '../../docs/guide');
const GUIDE = join(GUIDE_FOLDER, 'console.md');
export const PICTURES = join(GUIDE_FOLDER, 'console');

export const SIZES = {
  desktop: { width: 1_440, height: 900 },
  phone: { width: 390, height: 844 },
} as const;
export const SCHEMES = ['light', 'dark'] as const;

const BEGIN = '<!-- pictures: npm run console-pictures -->';
const END = '<!-- end of pictures -->';
const QUALITY = 62;
/** Differences that no one sees: of a channel, and how much of the picture may have larger ones (a clock, a bit rate). */
const SAME_LEVELS = 24;
const SAME_SHARE = 0.004;

export function pictureName(path: string, device: string, scheme: (typeof SCHEMES)[number]): string {
  const page = path === '' ? 'cameras' : path.replaceAll(/[:/]+/g, '-');
  return `${page}-${device}-${scheme}.webp`;
}

/** Writes it, unless the one that is there looks the same. */
export async function keepPicture(name: string, png: Buffer): Promise<void> {
  mkdirSync(PICTURES, { recursive: true });
  const file = join(PICTURES, name);
  const bytes = await sharp(png).webp({ quality: QUALITY, effort: 6, smartSubsample: true }).toBuffer();
  const known = await readFile(file).catch(() => null);
  if (known !== null && (await looksTheSame(known, bytes))) return;
  writeFileSync(file, bytes);
}

async function looksTheSame(known: Buffer, made: Buffer): Promise<boolean> {
  const [a, b] = await Promise.all(
    [known, made].map((bytes) => sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true })),
  );
  if (a!.info.width !== b!.info.width || a!.info.height !== b!.info.height) return false;
  let different = 0;
  for (let i = 0; i < a!.data.length; i++) {
    if (Math.abs(a!.data[i]! - b!.data[i]!) > SAME_LEVELS) different += 1;
  }
  return different <= a!.data.length * SAME_SHARE;
}

/** Markdown that shows every page. */
export function guidePart(pages: readonly { readonly path: string; readonly title: string }[]): string {
  const parts = pages.map(({ path, title }) => {
    const shown = (['desktop', 'phone'] as const).map((device) => picture(path, title, device));
    return `### ${title}\n\n${shown.join('\n')}\n`;
  });
  return `${BEGIN}\n\n${parts.join('\n')}\n${END}`;
}

function picture(path: string, title: string, device: keyof typeof SIZES): string {
  const [light, dark] = SCHEMES.map((scheme) => `console/${pictureName(path, device, scheme)}`);
  const width = device === 'desktop' ? 620 : 168;
  return [
    '<picture>',
    `<source media="(prefers-color-scheme: dark)" srcset="${dark}">`,
    `<img src="${light}" width="${width}" alt="${title}, on a ${device}">`,
    '</picture>',
  ].join('');
}

export function readGuide(): string {
  return readFileSync(GUIDE, 'utf8');
}

/** Replaces that part of the guide. */
export function writeGuide(part: string): void {
  const guide = readGuide();
  const from = guide.indexOf(BEGIN);
  const to = guide.indexOf(END);
  if (from < 0 || to < from) throw new Error(`${GUIDE} has no place for the pictures`);
  writeFileSync(GUIDE, guide.slice(0, from) + part + guide.slice(to + END.length));
}
