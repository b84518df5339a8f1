import { describe, expect, it } from 'vitest';
import type { Track } from '../codec/track.ts';
import { GatewayError } from '../core/errors.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { MaskedCamera } from './hub.ts';
import { ERRORS, FakeSource, IDLE_STOP_MS, settle, setup, TRACKS, unitAt, waiter } from './hub-fixture.ts';
import type { UnitFeed, UnitReader } from './source/unit-feed.ts';

/** Attaches to the camera while it is open, like the worker that masks. */
class FakeMasker extends FakeSource implements MaskedCamera, UnitReader {
  readonly uuid: Ruuid = newRuuid();
  readonly seen: string[] = [];
  #feed: UnitFeed | null = null;

  source(main: UnitFeed): FakeSource {
    this.#feed = main;
    return this;
  }

  override open(events: Parameters<FakeSource['open']>[0]) {
    this.#feed!.attach(this);
    const instance = super.open(events);
    return {
      close: async () => {
        this.#feed!.detach(this);
        await instance.close();
      },
    };
  }

  onTracks(tracks: readonly Track[]): void {
    this.seen.push(`tracks ${tracks.length}`);
  }

  onAccessUnit(): void {
    this.seen.push('unit');
  }

  onGone({ code }: { readonly code: string }): void {
    this.seen.push(code);
    this.#feed!.detach(this);
  }
}

function setupMasked() {
  const parts = setup();
  const masker = new FakeMasker();
  parts.hub.put({ ...parts.camera, masked: masker });
  return { ...parts, masker, masked: parts.hub.get(masker.uuid)! };
}

describe('a camera with its masks', () => {
  it('is found by its UUID, and not listed', () => {
    const { hub, camera, masker } = setupMasked();
    expect([hub.isMasked(masker.uuid), hub.isMasked(camera.uuid)]).toEqual([true, false]);
    expect([...hub.all()].map(({ uuid }) => uuid)).toEqual([camera.uuid]);
    expect(hub.get(masker.uuid)).not.toBe(hub.get(camera.uuid));
  });

  it('gets the access units of the camera, which nothing packages, and publishes its own', async () => {
    const { masked, masker, main, packagers, camera } = setupMasked();
    masked.touch('sound');
    await settle();
    expect([main.openNow, masker.openNow]).toEqual([1, 1]);
    main.current.onTracks(TRACKS);
    main.current.onAccessUnit(unitAt(0));
    expect(masker.seen).toEqual(['tracks 1', 'unit']);
    expect(packagers.map(({ options }) => options.cameraUuid)).toEqual([masker.uuid]);
    expect(packagers[0]!.log).not.toContain('unit');
    masker.current.onTracks(TRACKS);
    masker.current.onAccessUnit(unitAt(0));
    expect(packagers[0]!.log).toContain('unit');
    expect(packagers[0]!.options.cameraUuid).not.toBe(camera.uuid);
  });

  it('reports nothing', () => {
    const { masked, masker, states, reports } = setupMasked();
    masked.touch('sound');
    const before = [states.length, reports.length];
    masker.current.onTracks(TRACKS);
    masker.current.onAccessUnit(unitAt(0));
    expect([states.length, reports.length]).toEqual(before);
  });

  it('keeps its camera open while someone watches, and no longer', async () => {
    const { masked, main, masker, clock, stream } = setupMasked();
    masked.touch('sound');
    await settle();
    for (const { current } of [main, masker]) current.onTracks(TRACKS);
    for (let second = 0; second < (3 * IDLE_STOP_MS) / 1_000; second++) {
      masked.touch('sound');
      for (const { current } of [main, masker]) current.onAccessUnit(unitAt(clock.monoMs()));
      clock.advance(1_000);
    }
    expect([main.openNow, stream.status().state]).toEqual([1, 'live']);
    clock.advance(IDLE_STOP_MS);
    await settle();
    expect(masker.openNow).toBe(0);
    clock.advance(IDLE_STOP_MS);
    await settle();
    expect(main.openNow).toBe(0);
  });

  it('ends with other masks, and its viewers wait no longer', async () => {
    const { hub, camera, masked, masker } = setupMasked();
    masked.touch('sound');
    const waiting = waiter();
    masked.awaitPlayable('sound', waiting);
    const other = new FakeMasker();
    hub.put({ ...camera, masked: other });
    await settle();
    expect(waiting.outcome).toEqual(['STREAM_CLOSED']);
    expect([hub.get(masker.uuid), masker.openNow]).toEqual([undefined, 0]);
    expect(hub.isMasked(other.uuid)).toBe(true);
    hub.put(camera);
    expect(hub.isMasked(other.uuid)).toBe(false);
  });

  it('stays when its camera is reopened, and attaches to the new one', async () => {
    const { hub, camera, masked, masker, clock } = setupMasked();
    masked.touch('sound');
    const main = new FakeSource();
    hub.put({ ...camera, fingerprint: 'b', main, masked: masker });
    await settle();
    expect(hub.get(masker.uuid)).toBe(masked);
    expect(masker.seen).toEqual(['STREAM_CLOSED']);
    masker.current.onEnded(new GatewayError(ERRORS.REFUSED));
    masked.touch('sound');
    clock.advance(2_000);
    await settle();
    expect([masker.openNow, main.openNow]).toEqual([1, 1]);
  });

  it('ends with its camera and with the hub', async () => {
    const { hub, camera, masker, masked } = setupMasked();
    masked.touch('sound');
    hub.remove(camera.uuid);
    await settle();
    expect([hub.get(masker.uuid), masker.openNow]).toEqual([undefined, 0]);
    hub.put({ ...camera, masked: masker });
    hub.get(masker.uuid)!.touch('sound');
    await hub.close();
    expect([hub.get(masker.uuid), masker.openNow]).toEqual([undefined, 0]);
  });
});
