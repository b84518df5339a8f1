/** One row of the table: an attack with few rights, and the effects that it must not have. */

import type { TestConfig, TestGateway, TestShare } from '../../../test/support/gateway.ts';

/** The gateway under attack. */
export interface Ground {
  readonly gateway: TestGateway;
  /** The gateway's configuration. */
  readonly config: TestConfig;
  /** A share of a healthy camera, without a password. */
  readonly share: TestShare;
  /** A share of another healthy camera. */
  readonly other: TestShare;
  /** The Media Playlist behind `share`, with a grant. */
  readonly playlistUrl: string;
  readonly grant: string;
  readonly otherGrant: string;
  /** Makes grants as the gateway does. */
  readonly signingKey: Buffer;
  readonly isShort: boolean;
}

export interface Abuse {
  readonly group: string;
  readonly name: string;
  /** Resolves with what should not have happened, one sentence each. */
  attack(ground: Ground): Promise<readonly string[]>;
}

/** Sentences for those that are not as they should be. */
export function deviations(checks: Iterable<readonly [what: string, isFine: boolean]>): string[] {
  return [...checks].filter(([, isFine]) => !isFine).map(([what]) => what);
}

const MAX_SENTENCES = 5;

/** At most a few of many. */
export function few(sentences: readonly string[]): string[] {
  const rest = sentences.length - MAX_SENTENCES;
  return rest > 0 ? [...sentences.slice(0, MAX_SENTENCES), `and ${rest} more`] : [...sentences];
}

export function grantOf(url: string): string {
  return new URL(url).pathname.split('/')[2]!;
}

export function holdsMedia(body: Buffer | string): boolean {
  return /ftyp|moof|#EXTM3U/.test(body.toString('latin1'));
}
