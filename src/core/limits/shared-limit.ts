/**
 * How a bound on something that several organizations share is declared. A bound without shares lets one organization take all of it, so
 * each declaration gives every holder's part.
 */

/** The levels of holders. Weak credentials are those of pages and of devices, which leave the organization's hands. */
export type Level =
  | 'address'
  | 'browser'
  | 'person'
  | 'organization'
  | 'credential'
  | 'weakCredential'
  | 'link'
  | 'camera'
  | 'viewer';

/** How much one holder of a level may have. */
export interface LevelShare {
  /** Part of what the others of its level leave free, 0 to 1; default: all of it. */
  readonly share?: number;
  /** At most this much, whatever is free; default: no bound. */
  readonly max?: number;
  /** An equal part, and more as long as no other holder of the level wants it. Default: false. */
  readonly isLent?: boolean;
}

export interface PoolLimit {
  readonly kind: 'pool';
  /** Completes "a limit on …". */
  readonly what: string;
  /** Singular or plural as in "10 …". */
  readonly unit: string;
  /** The scope of one pool. */
  readonly per: 'process' | 'thread' | 'node' | 'cluster';
  /** Infinity: the room on the disk, which the code sets (Pool.total). */
  readonly total: number;
  /** Nested: a holder of a level shares what its holder of the level before it may have. */
  readonly levels: Readonly<Partial<Record<Level, LevelShare>>>;
  /** Part of `total` for administrators and for what ends access; default 0. */
  readonly reserve?: number;
  /** The effect on a request that gets nothing. */
  readonly atLimit: string;
}

/** How many requests may wait: in all, and of one holder of each level. */
export interface WaitingLimit {
  readonly total: number;
  readonly levels: Readonly<Partial<Record<Level, number>>>;
}

/**
 * A pool of two levels whose requests wait for their turn (FairQueue): holders of the outer level take turns, and so do
 * the inner ones of each. Only `max` of a level counts.
 */
export interface QueuedPool extends PoolLimit {
  readonly waiting: WaitingLimit;
}

/** `burst` requests, or units that they carry, at a time, `perSec` in the long run. */
export interface RateLimit {
  readonly burst: number;
  readonly perSec: number;
}

/** Requests. Each holder of a level has a bucket of its own. */
export interface RateShares {
  readonly kind: 'rate';
  readonly what: string;
  /** The unit, in the plural; default: requests. */
  readonly unit?: string;
  readonly per: 'process' | 'cluster';
  readonly levels: Readonly<Partial<Record<Level, RateLimit>>>;
  /** Another bucket of each credential, for calls that end access and for administrators, which nothing else can empty. */
  readonly reserve?: RateLimit;
  readonly atLimit: string;
}

/** Stored objects: each organization has a number of its own, so none takes another's. */
export interface RowLimit {
  readonly kind: 'rows';
  readonly what: string;
  readonly perOrganization: number;
  /** All of them together, with what indexes take; default: each is small. */
  readonly bytesPerOrganization?: number;
  readonly atLimit: string;
}

/** Remembered entries. The holder that has the most loses its own oldest (FairMap). */
export interface MemoryLimit {
  readonly kind: 'memory';
  readonly what: string;
  readonly per: 'process' | 'thread' | 'node';
  readonly total: number;
  /** The bytes of all entries; default: each is small. */
  readonly bytes?: number;
  /** Nested. */
  readonly levels: readonly Level[];
  /** The cost of forgetting an entry. */
  readonly atLimit: string;
}

export type SharedLimit = PoolLimit | QueuedPool | RateShares | RowLimit | MemoryLimit;
