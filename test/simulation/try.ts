import { simulate } from './simulation.ts';
const from = Number(process.argv[2] ?? 1), n = Number(process.argv[3] ?? 1);
for (let seed = from; seed < from + n; seed++) {
  const t = process.hrtime.bigint();
  const o = await simulate(seed);
  const ms = Number(process.hrtime.bigint() - t) / 1e6;
  console.log(seed, o.hash, 'events', o.events, 'parts', o.parts, 'frames', o.frames, ms.toFixed(0) + 'ms', o.failure?.stack ?? 'ok');
  if (o.failure || process.argv[4]) console.log(o.trace);
}
