import { describe, expect, it } from 'vitest';
import { apiLimits } from './api-limits.ts';
import { parseConfig } from './load-config.ts';

const limitsOf = (text: string) => apiLimits(parseConfig(text, 'sluice.yaml', {}).api);

describe('apiLimits', () => {
  it('allows 600 requests a minute per organization and 12 failures a minute per address by default', () => {
    expect(limitsOf('')).toEqual({
      requestsPerOrg: { burst: 100, perSec: 10 },
      failedAuthenticationsPerAddress: { burst: 20, perSec: 0.2 },
    });
  });

  it('reads both from the configuration', () => {
    expect(limitsOf('api: { rateLimit: 60, authenticationAttempts: 600 }')).toEqual({
      requestsPerOrg: { burst: 10, perSec: 1 },
      failedAuthenticationsPerAddress: { burst: 1_000, perSec: 10 },
    });
  });

  it('always allows at least one at once', () => {
    expect(limitsOf('api: { rateLimit: 1, authenticationAttempts: 1 }')).toEqual({
      requestsPerOrg: { burst: 1, perSec: 1 / 60 },
      failedAuthenticationsPerAddress: { burst: 2, perSec: 1 / 60 },
    });
  });
});
