/** The contract of organizations and their keys in every store. Part of the store contract. */

import { describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { KEY_USE_STEP_MS } from './entities.ts';
import { sampleApiKey, sampleOrganization } from './sample-entities-fixture.ts';
import type { Store } from './store.ts';

interface Context {
  store(): Store;
  org(): Ruuid;
  otherOrg(): Ruuid;
}

export function describeOrganizations({ store, org, otherOrg }: Context): void {
  describe('organizations', () => {
    it('finds, lists and replaces', async () => {
      const client = sampleOrganization({ uuid: otherOrg(), name: 'Client', partnerUuid: org() });
      await store().organizations.save(client);
      expect(await store().organizations.find(otherOrg())).toEqual(client);
      expect((await store().organizations.list()).map(({ uuid }) => uuid)).toEqual([org(), otherOrg()]);
      expect(await store().organizations.find(newRuuid())).toBeNull();
    });

    it('changes single fields, and leaves the others', async () => {
      const { organizations } = store();
      const known = await organizations.find(org());
      const cameraNetworks = ['10.0.0.0/8', '2001:db8::/32'];
      expect(await organizations.change(org(), { cameraNetworks })).toBe(true);
      expect(await organizations.change(org(), { name: 'Renamed' })).toBe(true);
      expect(await organizations.find(org())).toEqual({ ...known, cameraNetworks, name: 'Renamed' });
      expect(await organizations.change(newRuuid(), { name: 'x' })).toBe(false);
      expect(await organizations.change(org(), {})).toBe(true);
    });

    it('finds API keys by hash, including revoked ones, and keeps hashes unique', async () => {
      const key = sampleApiKey(org(), { scheme: 'partner-api', revokedAtMs: 5 });
      await store().apiKeys.save(key);
      expect(await store().apiKeys.findByHash(key.keyHash)).toEqual(key);
      expect(await store().apiKeys.findByHash('00')).toBeNull();
      const twin = sampleApiKey(otherOrg(), { keyHash: key.keyHash });
      await expect(store().apiKeys.save(twin)).rejects.toMatchObject({ code: 'STORE_DUPLICATE' });
    });

    it('notes when API keys were used, at most once a minute, without an event', async () => {
      const { apiKeys, onChange } = store();
      const [used, unused] = [sampleApiKey(org(), { expiresAtMs: 9_000 }), sampleApiKey(org())];
      const foreign = sampleApiKey(otherOrg());
      for (const key of [used, unused, foreign]) await apiKeys.save(key);
      expect(await apiKeys.find(org(), used.uuid)).toEqual(used);
      expect((await apiKeys.lastUses(org())).sinceMs).toBeGreaterThanOrEqual(0);
      const changes: unknown[] = [];
      const stop = onChange((event) => void changes.push(event));
      const note = (...times: number[]) =>
        apiKeys.noteUses(times.map((atMs) => ({ keyUuid: used.uuid, atMs })));
      await apiKeys.noteUses([]);
      await note(1_000);
      await note(1_000 + KEY_USE_STEP_MS - 1, 500);
      expect((await apiKeys.lastUses(org())).lastMs).toEqual(new Map([[used.uuid, 1_000]]));
      await note(1_000 + KEY_USE_STEP_MS);
      await apiKeys.noteUses([
        { keyUuid: newRuuid(), atMs: 7 },
        { keyUuid: foreign.uuid, atMs: 8 },
      ]);
      expect((await apiKeys.lastUses(org())).lastMs).toEqual(new Map([[used.uuid, 1_000 + KEY_USE_STEP_MS]]));
      expect((await apiKeys.lastUses(otherOrg())).lastMs).toEqual(new Map([[foreign.uuid, 8]]));
      expect(changes).toEqual([]);
      stop();
      await apiKeys.remove(org(), used.uuid);
      expect((await apiKeys.lastUses(org())).lastMs).toEqual(new Map());
    });
  });
}
