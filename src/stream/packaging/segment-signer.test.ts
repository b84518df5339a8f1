import { describe, expect, it } from 'vitest';
import { topBoxes } from '../../c2pa/boxes.ts';
import { checkInit, checkSegment, type LiveSigner, type SegmentFinding } from '../../c2pa/check-live.ts';
import { LiveSession } from '../../c2pa/live-session.ts';
import { FAKE_AUDIO, FAKE_VIDEO, FakeCamera } from '../../cmaf/fake-camera.ts';
import { mediaBlockBytes } from '../../cmaf/media-blocks.ts';
import { shownInit } from '../../cmaf/packaged-tracks.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { selfSignedCertificate } from '../../evidence/certificate.ts';
import { signingKey } from '../../evidence/signing-key.ts';
import { playlistText } from '../media/playlist-fixture.ts';
import { SESSION_MS } from './live-signing.ts';
import { Packager, type PackagerOptions } from './packager.ts';

const FRAME_TICKS = 3_600;
const { key, publicKey } = signingKey(Buffer.alloc(32, 7), 1);
const FIRST_MSN = 70;

class Bench {
  readonly clock = new FakeClock();
  readonly camera = new FakeCamera();
  readonly packager: Packager;
  sessions = 0;
  #frames = 0;

  constructor(options: Partial<PackagerOptions> = {}) {
    const nowEpochMs = this.clock.epochMs();
    const certificate = selfSignedCertificate({ commonName: 'Sluice', key, publicKey, nowEpochMs });
    this.packager = new Packager({
      clock: this.clock,
      content: 'video-and-audio',
      numbering: { nextMediaSequenceNumber: FIRST_MSN, nextDiscontinuitySequence: 0, initFingerprint: null },
      isContinuation: false,
      onNumbering: () => undefined,
      onPlayable: () => undefined,
      beginSession: (of) => {
        this.sessions++;
        const identity = { key, certificate, version: '1.2.3' };
        return new LiveSession({ identity, streamId: 'ab12', ...of });
      },
      ...options,
    });
    this.packager.setTracks([FAKE_VIDEO, FAKE_AUDIO]);
  }

  /** 25 Hz, a key frame every `gop` frames. */
  pictures(count: number, gop = 50): this {
    for (let i = 0; i < count; i++, this.#frames++) {
      const isKey = this.#frames % gop === 0;
      const data = new Uint8Array(isKey ? 20_000 : 2_000).fill(i);
      const arrivalMonoMs = this.clock.monoMs();
      const dtsTicks = this.#frames * FRAME_TICKS;
      this.packager.push(this.camera.picture({ dtsTicks, isKey, data, arrivalMonoMs }));
      this.clock.advance(40);
    }
    return this;
  }

  text(): string {
    const query = { msn: -1, part: -1, skip: false };
    return playlistText(this.packager.published.window.playlist(query));
  }

  async signers(): Promise<LiveSigner[]> {
    const names = [...this.text().matchAll(/EXT-X-MAP:URI="([^"]+)"/g)].map(([, name]) => name!);
    const findings = names.map((name) => checkInit(this.packager.published.window.init(name)!));
    return (await Promise.all(findings)).flatMap((found) => (found.state === 'signed' ? [found.signer] : []));
  }

  async check(msn: number, signer: LiveSigner): Promise<SegmentFinding['state']> {
    const lent = this.packager.published.window.segment(msn)!;
    return (await checkSegment(Buffer.from(lent.bytes), signer, msn)).state;
  }

  /** The segment as a low-latency player gets it. */
  parts(msn: number): Buffer {
    const parts: Buffer[] = [];
    for (let part = 0; ; part++) {
      const lent = this.packager.published.window.part(msn, part);
      if (typeof lent === 'string') return Buffer.concat(parts);
      parts.push(Buffer.from(lent.bytes));
    }
  }
}

describe('signed live video', () => {
  it('has a signature in each segment, with its Media Sequence Number', async () => {
    const bench = new Bench().pictures(151);
    const [signer, ...others] = await bench.signers();
    expect(others).toEqual([]);
    expect(signer!.session.minSequenceNumber).toBe(FIRST_MSN);
    const states = [0, 1, 2].map((at) => bench.check(FIRST_MSN + at, signer!));
    expect(await Promise.all(states)).toEqual(['signed', 'signed', 'signed']);
    expect(bench.sessions).toBe(1);
  });

  it('is the same for players that load parts', async () => {
    const bench = new Bench().pictures(101);
    const [signer] = await bench.signers();
    expect(await checkSegment(bench.parts(FIRST_MSN), signer!, FIRST_MSN)).toMatchObject({ state: 'signed' });
  });

  it('is signed if a segment is one part', async () => {
    const bench = new Bench().pictures(12, 1);
    const [signer] = await bench.signers();
    expect(bench.text()).toContain(`seg_${FIRST_MSN}.m4v`);
    expect(await bench.check(FIRST_MSN, signer!)).toBe('signed');
  });

  it.each(['video', 'audio'] as const)('is signed in a rendition of %s alone', async (content) => {
    const bench = new Bench({ content });
    const { camera, packager } = bench;
    for (let i = 0; i < 151; i++) {
      bench.pictures(1);
      packager.push(camera.audio(i * 1_920, { arrivalMonoMs: bench.clock.monoMs() }));
    }
    const [signer] = await bench.signers();
    expect(await bench.check(FIRST_MSN, signer!)).toBe('signed');
  });

  it('gets another key after a day, behind a discontinuity', async () => {
    const bench = new Bench().pictures(75);
    bench.clock.advance(SESSION_MS);
    bench.packager.discontinuity();
    bench.pictures(101);
    const [first, second] = await bench.signers();
    expect(first!.manifestId).not.toBe(second!.manifestId);
    const next = second!.session.minSequenceNumber;
    expect(await bench.check(next, second!)).toBe('signed');
    expect(await bench.check(next, first!)).toBe('broken');
    expect(bench.text()).toMatch(/#EXT-X-DISCONTINUITY\n#EXT-X-MAP/);
  });

  it('gets another key if the clock is set back', async () => {
    const bench = new Bench().pictures(75);
    bench.clock.stepWallClock(-60_000);
    bench.pictures(101);
    expect(bench.sessions).toBe(2);
    const [, second] = await bench.signers();
    expect(await bench.check(second!.session.minSequenceNumber, second!)).toBe('signed');
  });

  it('gets another key when this node has the numbers again', async () => {
    const bench = new Bench().pictures(101);
    bench.packager.own(null);
    bench.packager.own({
      nextMediaSequenceNumber: 1_000,
      nextDiscontinuitySequence: 9,
      initFingerprint: null,
    });
    bench.packager.discontinuity();
    bench.pictures(101);
    const [signer] = await bench.signers();
    expect(signer!.session.minSequenceNumber).toBe(1_000);
    expect(await bench.check(1_000, signer!)).toBe('signed');
    expect(bench.sessions).toBe(2);
  });

  it('is recorded without signatures', () => {
    const types: string[] = [];
    new Bench({
      onPart: ({ bytes, tracks }) => {
        types.push(...topBoxes(tracks.init).map(({ type }) => type));
        types.push(...topBoxes(bytes.join()).map(({ type }) => type));
      },
    }).pictures(101);
    expect([...new Set(types)].sort()).toEqual(['ftyp', 'mdat', 'moof', 'moov', 'styp']);
  });

  it('reaches mirrors with its signatures, also after the key was renewed', async () => {
    const bench = new Bench();
    const parts: { readonly init: Buffer; readonly bytes: Buffer }[] = [];
    bench.packager.published.follow({
      onPart: ({ bytes, tracks }) => parts.push({ init: shownInit(tracks).init, bytes: bytes.join() }),
      onFailed: () => undefined,
      onClosed: () => undefined,
    });
    bench.pictures(101);
    bench.clock.advance(SESSION_MS);
    bench.packager.discontinuity();
    bench.pictures(101);
    const inits = [...new Set(parts.map(({ init }) => init))];
    expect(inits).toHaveLength(2);
    for (const init of inits) {
      const finding = await checkInit(init);
      const own = Buffer.concat(parts.filter((part) => part.init === init).map(({ bytes }) => bytes));
      const end = own.indexOf('styp', 8) - 4;
      if (finding.state !== 'signed') throw new Error(finding.state);
      expect(await checkSegment(own.subarray(0, end), finding.signer, null)).toMatchObject({
        state: 'signed',
      });
    }
  });

  it('keeps the plain name for unsigned init segments', () => {
    expect(new Bench().pictures(101).text()).not.toContain('seg_init.mp4');
  });

  it('gives all memory back', () => {
    const before = mediaBlockBytes().used;
    const bench = new Bench().pictures(201);
    bench.packager.close();
    expect(mediaBlockBytes().used).toBe(before);
  });
});
