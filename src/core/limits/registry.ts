/** Bounds on what organizations share. Code takes from them by name; `docs/reference/limits.md` is generated from them. */

import type { SharedLimit } from './shared-limit.ts';

const MIB = 1_048_576;
const HALF = 1 / 2;
/** Where most gateways have one organization, and some of them one link that everyone watches. */
const MOST = 3 / 4;
const TWO_THIRDS = 2 / 3;

export const LIMITS = {
  apiRequests: {
    kind: 'rate',
    what: 'requests to the management API; `api.rateLimit` scales all of them',
    per: 'cluster',
    levels: {
      organization: { burst: 100, perSec: 10 },
      credential: { burst: 75, perSec: 7.5 },
      weakCredential: { burst: 25, perSec: 2.5 },
      address: { burst: 100, perSec: 10 },
    },
    reserve: { burst: 20, perSec: 2 },
    atLimit: '429 `API_RATE_LIMITED` with `Retry-After`.',
  },
  failedAuthentications: {
    kind: 'rate',
    what: 'requests without a credential that works; `api.authenticationAttempts` scales it',
    per: 'cluster',
    levels: { address: { burst: 20, perSec: 0.2 } },
    atLimit: '429 `API_RATE_LIMITED`. Credentials that work still do.',
  },
  failedSignIns: {
    kind: 'rate',
    what: 'failed attempts to sign in to the console; wrong API keys do not count',
    per: 'cluster',
    levels: { address: { burst: 20, perSec: 0.2 } },
    atLimit: '`SIGN_IN_LIMITED`.',
  },
  changeListeners: {
    kind: 'pool',
    what: 'connections to the real-time stream of the API that have authenticated',
    unit: 'connections',
    per: 'process',
    total: 1_000,
    levels: { organization: { share: HALF, max: 200 }, credential: { share: HALF, max: 100 } },
    atLimit: 'The connection gets an ERROR frame with the bound and ends.',
  },
  changeArrivals: {
    kind: 'pool',
    what: 'connections to the real-time stream of the API that have not authenticated yet',
    unit: 'connections',
    per: 'process',
    total: 256,
    levels: { address: { max: 50 } },
    atLimit: 'The one that has waited longest, of this address or of all, makes room.',
  },
  linkArrivals: {
    kind: 'pool',
    what: 'connections from other nodes that have not authenticated yet',
    unit: 'connections',
    per: 'process',
    total: 256,
    levels: { address: { max: 32 } },
    atLimit: 'The one that has waited longest, of this address or of all, makes room.',
  },
  nameLookups: {
    kind: 'pool',
    what: 'names of cameras that are being looked up; another such pool is for webhooks',
    unit: 'names',
    per: 'thread',
    total: 128,
    levels: { organization: { share: HALF } },
    atLimit: 'The camera counts as unreachable (`TOO_MANY_LOOKUPS`), and is tried again.',
  },
  waitingRequests: {
    kind: 'pool',
    what: 'requests of viewers that wait for live video',
    unit: 'requests',
    per: 'thread',
    total: 40_000,
    levels: { organization: { share: MOST }, link: { share: MOST }, viewer: { max: 8 } },
    atLimit: '503 `busy`; players try again.',
  },
  sharedWaiting: {
    kind: 'pool',
    what: 'requests that wait for live media under paths that viewers share',
    unit: 'requests',
    per: 'thread',
    total: 8_000,
    levels: { camera: { share: MOST }, address: { share: HALF, max: 2_500 } },
    atLimit: '503 `busy`; caches try again.',
  },
  pictureSockets: {
    kind: 'pool',
    what: 'WebSockets with live video',
    unit: 'WebSockets',
    per: 'thread',
    total: 20_000,
    levels: {
      organization: { share: MOST },
      link: { share: MOST },
      address: { max: 1_000 },
      viewer: { max: 4 },
    },
    atLimit: '503 `busy`; the page plays HLS.',
  },
  viewerSessions: {
    kind: 'pool',
    what: 'viewers, counted or not',
    unit: 'viewers',
    per: 'thread',
    total: 150_000,
    levels: { organization: { share: MOST }, link: { share: MOST, max: 100_000 }, address: { max: 4_000 } },
    atLimit: 'One that has left makes room if there is any, otherwise 503 `busy`.',
  },
  pastRequests: {
    kind: 'pool',
    what: 'requests for recorded media that are being read or sent',
    unit: 'requests',
    per: 'thread',
    total: 1_024,
    levels: { organization: { share: MOST }, link: { share: TWO_THIRDS }, viewer: { max: 8 } },
    atLimit: '503 `busy`; players try again.',
  },
  pastBytes: {
    kind: 'pool',
    what: 'bytes of recorded media that are being read or sent',
    unit: 'bytes',
    per: 'thread',
    total: 512 * MIB,
    levels: { organization: { share: MOST }, link: { share: TWO_THIRDS }, viewer: { max: 64 * MIB } },
    atLimit: '503 `busy`; players try again.',
  },
} as const satisfies Readonly<Record<string, SharedLimit>>;

export type LimitName = keyof typeof LIMITS;
