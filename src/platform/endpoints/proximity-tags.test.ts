import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiFixture, openApiFixture } from '../../api/api-fixture.ts';
import { newRuuid } from '../../core/ruuid.ts';

const INGEST = '/api/ingest/proximityTags';
const UPDATE = '/api/proximity/updateDetails';
const TAGS = '/api/proximity/getTags';
const NO_TAG = 'There is no proximity tag with this UUID.';

let fixture: ApiFixture;
let foreignKey: Record<string, string>;
const uuid = newRuuid();
beforeEach(async () => {
  fixture = await openApiFixture();
  foreignKey = { 'x-auth-apikey': fixture.foreign.apiKey };
  await fixture.call(INGEST, { rows: [{ uuid, name: 'Porter', description: 'Night' }] });
});
afterEach(() => fixture.close());

const tags = async (headers = {}) =>
  (await fixture.call(TAGS, {}, headers)).tags as Record<string, unknown>[];

describe(UPDATE, () => {
  it('applies what is flagged and nothing else', async () => {
    fixture.clock.advance(1_000);
    const policyUuid = newRuuid();
    const imageUrl = 'https://images.example/1.png';
    const response = await fixture.call(UPDATE, {
      uuid,
      name: ' Porter 3 ',
      nameUpdated: true,
      description: 'ignored',
      descriptionUpdated: false,
      imageUrl,
      imageUrlUpdated: true,
      policyUuid,
      policyUuidUpdated: true,
    });
    expect(response).toEqual({
      error: false,
      warningMsg:
        'description was not changed, because descriptionUpdated is not true. ' +
        'policyUuid is stored but has no effect: the gateway raises no alerts for policies.',
    });
    expect(await tags()).toMatchObject([
      { uuid, name: 'Porter 3', description: 'Night', imageUrl, policyUuid },
    ]);
    await fixture.call(UPDATE, { uuid, descriptionUpdated: true, imageUrlUpdated: true, name: 'ignored' });
    const cleared = await tags();
    expect(cleared).toMatchObject([{ name: 'Porter 3', updatedAtMillis: fixture.clock.epochMs() }]);
    for (const field of ['description', 'imageUrl']) expect(cleared[0]).not.toHaveProperty(field);
  });

  it('removes a tag', async () => {
    expect((await fixture.call(UPDATE, { uuid, deletedUpdated: true })).error).toBe(false);
    expect(await tags()).toEqual([]);
    expect((await fixture.call(UPDATE, { uuid, deletedUpdated: true })).errorMsg).toBe(NO_TAG);
  });

  it('refuses what is not the organization’s and what is invalid', async () => {
    for (const [body, sentence] of [
      [{}, 'uuid is required.'],
      [{ uuid: newRuuid() }, NO_TAG],
      [{ uuid, nameUpdated: true, name: ' ' }, /^name must not be blank/],
      [{ uuid, imageUrlUpdated: true, imageUrl: 'javascript:alert(1)' }, /^imageUrl must be a URL/],
    ] as const) {
      expect((await fixture.call(UPDATE, body)).errorMsg).toMatch(sentence);
    }
    expect((await fixture.call(UPDATE, { uuid, deletedUpdated: true }, foreignKey)).errorMsg).toBe(NO_TAG);
    expect(await tags()).toMatchObject([{ name: 'Porter' }]);
  });
});

describe(INGEST, () => {
  it('adds each tag once and leaves known ones unchanged', async () => {
    const rows = [{ uuid, name: 'Other' }, { uuid: newRuuid(), name: 'New' }, { uuid }];
    expect(await fixture.call(INGEST, { rows })).toMatchObject({
      acceptedCount: 1,
      duplicateCount: 1,
      rejected: [{ index: 2, field: 'name' }],
    });
    expect(await tags()).toHaveLength(2);
    expect(await tags()).toContainEqual(expect.objectContaining({ uuid, name: 'Porter' }));
  });

  it('keeps organizations apart that give a tag the same UUID', async () => {
    await fixture.call(INGEST, { rows: [{ uuid, name: 'Theirs' }] }, foreignKey);
    expect(await tags(foreignKey)).toMatchObject([{ uuid, name: 'Theirs' }]);
    expect(await tags()).toMatchObject([{ uuid, name: 'Porter' }]);
  });
});
