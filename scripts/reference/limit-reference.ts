/** The reference page of bounds on what organizations share, as Markdown, made from the registry. */

import { LIMITS } from '../../src/core/limits/registry.ts';
import type {
  Level,
  LevelShare,
  MemoryLimit,
  PoolLimit,
  QueuedPool,
  RateLimit,
  RateShares,
  RowLimit,
  SharedLimit,
} from '../../src/core/limits/shared-limit.ts';

const MIB = 1_048_576;

const LEVEL_NAMES: Readonly<Record<Level, string>> = {
  address: 'address (of IPv6: /64)',
  browser: 'known browser',
  person: 'email address',
  organization: 'organization',
  credential: 'credential',
  weakCredential: 'federated session, device key',
  link: 'link',
  camera: 'camera',
  viewer: 'viewer',
};

const HEAD = `<!-- Written by \`npm run docs\` from the registry in src/core/limits. Change that, not this. -->

# Limits

What organizations share is bounded, and each bound is shared out, so that no organization, credential, link or address can
take it from the others. [../design/limits.md](../design/limits.md) says how.

What waits takes turns: organizations first, then those of the next level within each.

A share such as *1/2 of the rest* is a part of what others of the same level leave free: one organization alone can have half, a
second one half of the remainder, and so on, so there is always room for one more. Levels nest: a link's share is of what its
organization may have.

*An equal part, and what no other one wants*: one organization alone can have all of it, and gives up what it has beyond an equal part
as soon as another one wants it.

What is remembered makes room by itself: the holder that has the most gives up its own oldest, so nobody loses anything as long as
others have more.
`;

export function renderLimitReference(): string {
  const all = Object.entries<SharedLimit>(LIMITS);
  const pools = all.filter((entry): entry is [string, PoolLimit] => entry[1].kind === 'pool');
  const memories = all.filter((entry): entry is [string, MemoryLimit] => entry[1].kind === 'memory');
  const rates = all.filter((entry): entry is [string, RateShares] => entry[1].kind === 'rate');
  const rows = all.filter((entry): entry is [string, RowLimit] => entry[1].kind === 'rows');
  return [
    HEAD,
    ...section('At a time', ['name', 'limit on', 'in all', 'shares', 'beyond it'], pools.map(poolRow)),
    ...section(
      'Remembered',
      ['name', 'limit on', 'in all', 'shared by', 'if it is forgotten'],
      memories.map(memoryRow),
    ),
    ...section('Per second', ['name', 'limit on', 'buckets', 'beyond it'], rates.map(rateRow)),
    ...section('Stored', ['name', 'limit on', 'per organization', 'beyond it'], rows.map(rowRow)),
  ].join('\n');
}

function section(title: string, head: readonly string[], rows: readonly string[][]): string[] {
  if (rows.length === 0) return [];
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [`## ${title}`, '', line(head), line(head.map(() => '---')), ...rows.map(line), ''];
}

function poolRow([name, limit]: [string, PoolLimit | QueuedPool]): string[] {
  const { what, unit, per, total, levels, reserve, atLimit } = limit;
  const shares = Object.entries<LevelShare>(levels as Readonly<Record<Level, LevelShare>>);
  const texts = shares.map(([level, share]) => `${LEVEL_NAMES[level as Level]}: ${shareText(share, unit)}`);
  if (reserve !== undefined) texts.push(`reserve: ${amount(reserve, unit)}`);
  if ('waiting' in limit) {
    const waiting = Object.entries(limit.waiting.levels).map(
      ([level, most]) => `, ${most} of one ${LEVEL_NAMES[level as Level]}`,
    );
    texts.push(`waiting: ${limit.waiting.total.toLocaleString('en')}${waiting.join('')}`);
  }
  const all = Number.isFinite(total) ? amount(total, unit) : 'what the disk has room for';
  return [`\`${name}\``, what, `${all} per ${per}`, texts.join('<br>'), atLimit];
}

function shareText({ share, max, isLent }: LevelShare, unit: string): string {
  const texts = [];
  if (isLent === true) texts.push('an equal part, and what no other one wants');
  if (share !== undefined) texts.push(`${fraction(share)} of the rest`);
  if (max !== undefined) texts.push(`at most ${amount(max, unit)}`);
  return texts.join(', ');
}

function memoryRow([name, { what, per, total, bytes, levels, atLimit }]: [string, MemoryLimit]): string[] {
  const all = bytes === undefined ? '' : `, ${amount(bytes, 'bytes')}`;
  const shared = levels.map((level) => LEVEL_NAMES[level]).join(', then ');
  return [`\`${name}\``, what, `${total.toLocaleString('en')}${all} per ${per}`, shared, atLimit];
}

function rateRow([name, { what, unit = 'requests', per, levels, reserve, atLimit }]: [
  string,
  RateShares,
]): string[] {
  const texts = Object.entries<RateLimit>(levels as Readonly<Record<Level, RateLimit>>).map(
    ([level, rate]) => `${LEVEL_NAMES[level as Level]}: ${rateText(rate, unit)}`,
  );
  if (reserve !== undefined) texts.push(`to end access, and for administrators: ${rateText(reserve, unit)}`);
  return [`\`${name}\``, what, `${texts.join('<br>')}<br>per ${per}`, atLimit];
}

function rateText({ burst, perSec }: RateLimit, unit: string): string {
  const perTime =
    perSec >= 0.1
      ? `${amount(perSec, unit)} a second`
      : `${amount(Math.round(perSec * 3_600), unit)} an hour`;
  return `${amount(burst, unit)} at a time, ${perTime}`;
}

function rowRow([name, { what, perOrganization, bytesPerOrganization, atLimit }]: [
  string,
  RowLimit,
]): string[] {
  const rows = perOrganization.toLocaleString('en');
  const most =
    bytesPerOrganization === undefined ? rows : `${rows}, ${amount(bytesPerOrganization, 'bytes')}`;
  return [`\`${name}\``, what, most, atLimit];
}

/** 0.5 is 1/2, 0.75 is 3/4. */
function fraction(share: number): string {
  const denominator = [1, 2, 3, 4, 5, 8].find(
    (each) => Math.abs(share * each - Math.round(share * each)) < 1e-9,
  );
  return denominator === undefined ? share.toFixed(2) : `${Math.round(share * denominator)}/${denominator}`;
}

function amount(value: number, unit: string): string {
  if (unit === 'bytes' && value % MIB === 0) return `${(value / MIB).toLocaleString('en')} MiB`;
  return `${value.toLocaleString('en')} ${unit}`;
}
