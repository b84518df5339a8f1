/** Timelapses over the clips of a test. */

import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { ClipsFixture, START_MS } from './clips-fixture.ts';
import type { TimelapseRequest } from './timelapses.ts';

export const READER = newRuuid();

export class TimelapsesFixture {
  readonly base: ClipsFixture;

  private constructor(base: ClipsFixture) {
    this.base = base;
  }

  static async open(cameras = 1): Promise<TimelapsesFixture> {
    return new TimelapsesFixture(await ClipsFixture.open(cameras));
  }

  get timelapses() {
    return this.base.clips.timelapses;
  }

  generate(fields: Partial<TimelapseRequest> = {}): Promise<Ruuid> {
    return this.timelapses.generate(this.base.orgUuid, {
      devices: [`${this.base.cameras[0]}.v0`],
      startMs: START_MS,
      stopMs: START_MS + 6_000,
      durationSec: 2,
      skipsNights: false,
      skipsWeekends: false,
      title: null,
      description: null,
      ...fields,
    });
  }

  async made(fields: Partial<TimelapseRequest> = {}): Promise<Ruuid> {
    const uuid = await this.generate(fields);
    await this.base.clips.settled();
    return uuid;
  }

  async listed(uuid: Ruuid) {
    const all = await this.timelapses.list(this.base.orgUuid);
    return all.find(({ timelapse }) => timelapse.uuid === uuid);
  }

  async stateOf(uuid: Ruuid) {
    const { state, percent } = (await this.listed(uuid))!;
    return [state, percent];
  }
}
