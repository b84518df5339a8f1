/**
 * Share passwords: scrypt (RFC 7914), kept as PHC strings `$scrypt$ln=15,r=8,p=3$<salt>$<hash>`. The work runs on
 * libuv's threads. A queue keeps guesses from taking all of them, and guesses at one share from delaying another's.
 */

import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { GatewayError } from '../core/errors.ts';
import { FairQueue, type Turn } from '../core/fair-queue.ts';
import { SHARING_ERRORS } from './errors.ts';

/** `log2N`: N = 2^log2N; memory is 128 · N · r bytes. */
export interface ScryptCost {
  readonly log2N: number;
  readonly r: number;
  readonly p: number;
}

/** 32 MiB and about a tenth of a second; the strength recommended by OWASP's password storage guide. */
export const DEFAULT_SCRYPT_COST: ScryptCost = { log2N: 15, r: 8, p: 3 };
/** Longer ones are rejected when set, and wrong when tried. */
export const MAX_PASSWORD_CHARS = 256;

/** Computations at a time: libuv has four threads, and files and name lookups need some. */
const MAX_CONCURRENT = 2;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const MAX_LOG2_N = 17;
const MAX_R = 16;
const MAX_P = 8;
const PHC_PATTERN =
  /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

/** Group for setting passwords: the API's callers, who are few. */
const HASHING: Turn = { group: 'hash', member: 'hash' };

export class Passwords {
  readonly #cost: ScryptCost;
  readonly #queue = new FairQueue({ places: MAX_CONCURRENT });

  constructor(cost: ScryptCost = DEFAULT_SCRYPT_COST) {
    this.#cost = cost;
  }

  /** A PHC string with a new salt. Fails with PASSWORD_QUEUE_FULL. */
  async hash(password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES);
    const hash = await this.#inTurn(HASHING, () => derive(password, salt, HASH_BYTES, this.#cost));
    const { log2N, r, p } = this.#cost;
    return `$scrypt$ln=${log2N},r=${r},p=${p}$${unpadded(salt)}$${unpadded(hash)}`;
  }

  /**
   * Compares in constant time. A string that is not one of our PHC strings matches nothing. `turn`: the share and who
   * tries. Fails with PASSWORD_QUEUE_FULL.
   */
  async verify(phc: string, password: string, turn: Turn): Promise<boolean> {
    const stored = parsePhc(phc);
    if (stored === null || password.length > MAX_PASSWORD_CHARS) return false;
    const { salt, hash, cost } = stored;
    return timingSafeEqual(await this.#inTurn(turn, () => derive(password, salt, hash.length, cost)), hash);
  }

  /** Whether this client already has the maximum number of passwords waiting to be checked. */
  isFullFor(turn: Turn): boolean {
    return this.#queue.isFullFor(turn);
  }

  async #inTurn(turn: Turn, work: () => Promise<Buffer>): Promise<Buffer> {
    const derived = await this.#queue.run(turn, work);
    if (derived === null) throw new GatewayError(SHARING_ERRORS.PASSWORD_QUEUE_FULL);
    return derived;
  }
}

/** The hash of a password that a caller sets; null: none, or a blank one. Fails with SHARE_PASSWORD_TOO_LONG, and like `hash`. */
export async function hashIfGiven(
  passwords: Passwords,
  password: string | null | undefined,
): Promise<string | null> {
  if (password === null || password === undefined || password.trim() === '') return null;
  if (password.length > MAX_PASSWORD_CHARS) {
    throw new GatewayError(SHARING_ERRORS.SHARE_PASSWORD_TOO_LONG, { limit: MAX_PASSWORD_CHARS });
  }
  return passwords.hash(password);
}

/** The same letters typed on different keyboards are the same password: the hash is of Unicode's NFC form. */
function derive(password: string, salt: Buffer, hashBytes: number, cost: ScryptCost): Promise<Buffer> {
  const N = 2 ** cost.log2N;
  const options = { N, r: cost.r, p: cost.p, maxmem: 256 * N * cost.r };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, hashBytes, options, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}

function parsePhc(phc: string): { salt: Buffer; hash: Buffer; cost: ScryptCost } | null {
  const match = PHC_PATTERN.exec(phc);
  if (match === null) return null;
  const cost = { log2N: Number(match[1]), r: Number(match[2]), p: Number(match[3]) };
  const isSane =
    cost.log2N >= 1 &&
    cost.log2N <= MAX_LOG2_N &&
    cost.r >= 1 &&
    cost.r <= MAX_R &&
    cost.p >= 1 &&
    cost.p <= MAX_P;
  if (!isSane) return null;
  return { salt: Buffer.from(match[4]!, 'base64'), hash: Buffer.from(match[5]!, 'base64'), cost };
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
