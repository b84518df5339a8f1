/** Bounds on how often organizations may do something, part of the registry (registry.ts). */

import type { RateShares } from './shared-limit.ts';

const MIB = 1_048_576;

export const RATE_LIMITS = {
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
  scimRequests: {
    kind: 'rate',
    what: 'provisioning requests (SCIM); `api.rateLimit` scales them too',
    per: 'cluster',
    // Entra ID expects 25 a second.
    levels: {
      organization: { burst: 200, perSec: 50 },
      credential: { burst: 100, perSec: 25 },
    },
    atLimit: '429 with `Retry-After`.',
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
  signIns: {
    kind: 'rate',
    what: 'attempts to sign in with one email address and a password, of one browser in which its person has signed in before, or of one address',
    unit: 'attempts',
    per: 'cluster',
    levels: { browser: { burst: 10, perSec: 1 / 60 }, address: { burst: 10, perSec: 1 / 60 } },
    atLimit: '`SIGN_IN_LIMITED` there; elsewhere, and with a passkey or a code, the person still can.',
  },
  signInsOfStrangers: {
    kind: 'rate',
    what: 'the same, of all browsers together in which that person has never signed in',
    unit: 'attempts',
    per: 'cluster',
    levels: { person: { burst: 100, perSec: 1 / 36 } },
    atLimit: '`SIGN_IN_LIMITED` for such browsers only.',
  },
  failedProviderVisits: {
    kind: 'rate',
    what: 'failed sign-ins at the OpenID provider, of the console, and of viewers; as many of logouts that it sends',
    per: 'cluster',
    levels: { browser: { burst: 20, perSec: 0.2 }, address: { burst: 20, perSec: 0.2 } },
    atLimit: '`SIGN_IN_LIMITED` there.',
  },
  ingestRows: {
    kind: 'rate',
    what: 'rows that devices and integrations report through the API',
    unit: 'rows',
    per: 'process',
    levels: {
      organization: { burst: 60_000, perSec: 2_000 },
      credential: { burst: 30_000, perSec: 1_000 },
    },
    atLimit: '429 `INGEST_RATE_LIMITED`; the batch can be sent again after `Retry-After`.',
  },
  refusedMails: {
    kind: 'rate',
    what: 'mails to addresses that the mail server refuses for good; it counts them against the sender of all',
    unit: 'mails',
    per: 'process',
    levels: { organization: { burst: 20, perSec: 20 / 3_600 } },
    atLimit: 'Mails of the organization wait (`MAIL_REFUSALS_LIMITED`); a test does not.',
  },
  linkMails: {
    kind: 'rate',
    what: 'mails with links and invitations that people send from the console',
    unit: 'mails',
    per: 'process',
    levels: { organization: { burst: 50, perSec: 1 / 60 } },
    atLimit: '429 `LINK_MAILS_LIMITED` with `Retry-After`.',
  },
  ingestBytes: {
    kind: 'rate',
    what: 'bytes of these rows',
    unit: 'bytes',
    per: 'process',
    levels: {
      organization: { burst: 64 * MIB, perSec: 2 * MIB },
      credential: { burst: 32 * MIB, perSec: MIB },
    },
    atLimit: '429 `INGEST_RATE_LIMITED`; the batch can be sent again after `Retry-After`.',
  },
} as const satisfies Readonly<Record<string, RateShares>>;
