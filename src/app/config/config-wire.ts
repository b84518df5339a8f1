/**
 * A configuration as plain values, so that one thread can read it for another. It has secrets in clear: it is passed between threads
 * of this process and kept nowhere.
 */

import { CredentialUrl, Secret } from '../../core/secret.ts';
import { SlicedWork } from '../../core/sliced-work.ts';
import type { Config } from './schema.ts';

/** Tags of wire values, which the types of the configuration do not contain themselves. */
const SECRET = 'secret';
const URL = 'credential-url';
const LIST = 'list';
const RECORD = 'record';

export type WireValue =
  | string
  | number
  | boolean
  | null
  | readonly [typeof SECRET | typeof URL, string]
  | readonly [typeof LIST, readonly WireValue[]]
  | readonly [typeof RECORD, { readonly [field: string]: WireValue }];

/** Converts a configuration, or any value in one. */
export function toWire(value: unknown): WireValue {
  if (value instanceof Secret) return [SECRET, value.reveal()];
  if (value instanceof CredentialUrl) return [URL, value.reveal()];
  if (Array.isArray(value)) return [LIST, value.map(toWire)];
  if (typeof value !== 'object' || value === null) return value as WireValue;
  return [RECORD, Object.fromEntries(Object.entries(value).map(([name, field]) => [name, toWire(field)]))];
}

/** The configuration again, frozen as it was read, in slices. */
export async function configFromWire(wire: WireValue): Promise<Config> {
  const work = new SlicedWork();
  await work.pause();
  return (await fromWire(wire, work)) as Config;
}

async function fromWire(wire: WireValue, work: SlicedWork): Promise<unknown> {
  if (typeof wire !== 'object' || wire === null) return wire;
  const [kind, content] = wire;
  if (work.step()) await work.pause();
  switch (kind) {
    case SECRET:
      return new Secret(content);
    case URL:
      return new CredentialUrl(content);
    case LIST: {
      const items: unknown[] = [];
      for (const item of content) items.push(isPlain(item) ? item : await fromWire(item, work));
      return Object.freeze(items);
    }
    case RECORD: {
      const fields: Record<string, unknown> = {};
      for (const [name, field] of Object.entries(content)) {
        fields[name] = isPlain(field) ? field : await fromWire(field, work);
      }
      return Object.freeze(fields);
    }
  }
}

/** Most fields are: no promise is made for them. */
function isPlain(wire: WireValue): wire is string | number | boolean | null {
  return typeof wire !== 'object' || wire === null;
}
