/** What the values must fulfil together: names that exist, that are unique, and times that fit each other. */

import type { Config } from './schema.ts';

/** Adds a problem at the place where the key's value came from. */
export type Reject = (key: string, message: string) => void;

export function checkConfig(config: Config, reject: Reject): void {
  checkUnique('locations', config.locations, reject);
  checkUnique('nvrs', config.nvrs, reject);
  checkUnique('cameras', config.cameras, reject);
  checkReferences(config, reject);
  checkTimes(config, reject);
  const { apiKey, partnerApiKey } = config.bootstrap;
  if (apiKey !== null && apiKey.reveal() === partnerApiKey?.reveal()) {
    reject('bootstrap.partnerApiKey', 'must differ from bootstrap.apiKey');
  }
  // What stands behind the question mark is no user info, and would be shown in logs.
  if (config.database !== null && new URL(config.database.reveal()).searchParams.has('password')) {
    reject('database', 'the password belongs before the @, as in postgres://user:password@host/name');
  }
}

interface NamedRecord {
  readonly name: string;
  readonly uuid: string | null;
}

function checkUnique(list: string, records: readonly NamedRecord[], reject: Reject): void {
  for (const field of ['name', 'uuid'] as const) {
    const firstWith = new Map<string, number>();
    records.forEach((record, i) => {
      const value = record[field];
      if (value === null) return;
      const first = firstWith.get(value);
      if (first === undefined) firstWith.set(value, i);
      else reject(`${list}[${i}].${field}`, `"${value}" is the ${field} of ${list}[${first}] already`);
    });
  }
}

function checkReferences(config: Config, reject: Reject): void {
  const locations = new Set(config.locations.map((location) => location.name));
  const nvrs = new Set(config.nvrs.map((nvr) => nvr.name));
  const check = (key: string, name: string | null, names: ReadonlySet<string>, kind: string) => {
    if (name !== null && !names.has(name)) reject(key, `there is no ${kind} named "${name}"${listed(names)}`);
  };
  config.nvrs.forEach((nvr, i) => {
    check(`nvrs[${i}].location`, nvr.location, locations, 'location');
  });
  config.cameras.forEach((camera, i) => {
    check(`cameras[${i}].location`, camera.location, locations, 'location');
    check(`cameras[${i}].nvr`, camera.nvr, nvrs, 'NVR');
  });
}

const MAX_LISTED_NAMES = 8;

function listed(names: ReadonlySet<string>): string {
  if (names.size === 0) return '; none is declared';
  const some = [...names].slice(0, MAX_LISTED_NAMES).join(', ');
  return `; declared: ${some}${names.size > MAX_LISTED_NAMES ? ', …' : ''}`;
}

function checkTimes({ hls, sources }: Config, reject: Reject): void {
  if (sources.backoffMaxMs < sources.backoffMinMs) {
    reject('sources.backoffMax', 'must not be shorter than sources.backoffMin');
  }
  if (hls.partTargetMs > hls.segmentTargetMs) {
    reject('hls.partTarget', 'must not be longer than hls.segmentTarget');
  }
  // RFC 8216 §6.2.2: a live playlist lists at least three target durations.
  if (hls.windowMs < 3 * hls.segmentTargetMs) {
    reject('hls.window', 'must be at least three times hls.segmentTarget');
  }
}
