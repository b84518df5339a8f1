/** The end of an emergency, whatever happens to clocks and nodes (docs/design/emergency.md), in virtual time. */

import { describe, expect, it } from 'vitest';
import { type Simulation, simulateScript } from './simulation.ts';

const SEEDS = [1, 2, 3, 4];
const LENGTH_MS = 12_000;
/** All who watch have their first frames. */
const BEGUN_MS = 4_000;
/** The sweep closes what is over, again if the store did not respond. */
const CLOSED_MS = 25_000;

/** Whether viewers at all nodes got frames before the end, and the failure of the run. */
async function outcomeOf(seed: number, disturb: (simulation: Simulation) => void) {
  let framesBefore = 0;
  let framesAfter = 0;
  const { failure, trace } = await simulateScript(
    seed,
    async (simulation) => {
      const { world, emergencies, nodes } = simulation;
      emergencies!.begin();
      emergencies!.end();
      const uuid = await simulation.within(emergencies!.open(nodes[0]!, LENGTH_MS));
      const viewers = [emergencies!.watch(uuid), emergencies!.watch(uuid)].filter((each) => each !== null);
      await world.run(world.nowMs + BEGUN_MS);
      framesBefore = Math.min(...viewers.map(({ frames }) => frames));
      disturb(simulation);
      await world.run(world.nowMs + LENGTH_MS);
      const known = viewers.map(({ frames }) => frames);
      await world.run(world.nowMs + CLOSED_MS);
      framesAfter = Math.max(...viewers.map(({ frames }, at) => frames - known[at]!));
      await simulation.within(emergencies!.checkReports());
    },
    'emergencies',
  );
  if (failure !== null) throw new Error(`seed ${seed}\n${trace}`, { cause: failure });
  return { framesBefore, framesAfter };
}

describe('an emergency ends at its time, with one report, if', () => {
  it.each<[string, (simulation: Simulation) => void]>([
    ['nothing happens', () => undefined],
    [
      'all clocks are set back by an hour',
      ({ nodes }) => {
        for (const { clock } of nodes) clock.stepWallClock(-3_600_000);
      },
    ],
    ['one clock is set ahead by an hour', ({ nodes }) => nodes[1]!.clock.stepWallClock(3_600_000)],
    [
      'the node that opened it is killed, and the others hear of nothing',
      (simulation) => {
        simulation.kill(simulation.nodes[0]!, true);
        const begin = ({ database }: Simulation) => {
          database.stop();
          return () => database.start();
        };
        simulation.faults.strike({ name: 'database stops', begin }, LENGTH_MS + 5_000);
      },
    ],
  ])('%s', async (_name, disturb) => {
    for (const seed of SEEDS) {
      const { framesBefore, framesAfter } = await outcomeOf(seed, disturb);
      expect(framesBefore).toBeGreaterThan(0);
      expect(framesAfter).toBe(0);
    }
  });
});
