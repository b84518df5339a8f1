/** A relay whose frames come out by a clock of the test. */

import type { AccessUnit, Track } from '../../codec/track.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { FragmentRelay, type RelayedSound } from './fragment-relay.ts';
import { INIT } from './hls-fixture.ts';
import { readInitSection } from './init-section.ts';
import { PacedRelease } from './paced-release.ts';

/** Keeps when each frame was to be decoded and when it came out, in milliseconds. */
export class Player {
  readonly clock = new FakeClock();
  readonly dts: number[] = [];
  readonly arrivals: number[] = [];
  readonly tracks: (readonly Track[])[] = [];
  readonly dropped: string[] = [];
  readonly release = new PacedRelease(
    {
      onTracks: (tracks) => void this.tracks.push(tracks),
      onAccessUnit: (unit: AccessUnit) => {
        this.dts.push(unit.dtsTicks);
        this.arrivals.push(Math.round(unit.arrivalMonoMs));
      },
    },
    this.clock,
    () => 4_000,
  );
  readonly relay: FragmentRelay;

  constructor(init = readInitSection(INIT), sound: RelayedSound = 'muxed') {
    const onDropped = (frames: number, code: string): void =>
      void this.dropped.push(...Array<string>(frames).fill(code));
    this.relay = new FragmentRelay(init, sound, { onDropped }, this.release);
  }
}
