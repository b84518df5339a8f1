/** The contract of certificates of evidence keys, for every store. store-contract.ts runs it. */

import { describe, expect, it } from 'vitest';
import type { Store } from './store.ts';

export function describeSigningCertificates(store: () => Store): void {
  describe('certificates of evidence keys', () => {
    it('are listed in the order of their generations, and the first of two nodes wins', async () => {
      const { signingCertificates } = store();
      const second = { generation: 2, keyName: 'b2', pem: 'two', createdAtMs: 20 };
      const first = { generation: 1, keyName: 'a1', pem: 'one', createdAtMs: 10 };
      expect(await signingCertificates.list()).toEqual([]);
      expect(await signingCertificates.add(second)).toEqual(second);
      expect(await signingCertificates.add(first)).toEqual(first);
      expect(await signingCertificates.add({ ...first, pem: 'late', createdAtMs: 11 })).toEqual(first);
      expect(await signingCertificates.list()).toEqual([first, second]);
    });
  });
}
