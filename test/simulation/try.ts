import { simulate } from './simulation.ts';
const from = Number(process.argv[2] ?? 1), n = Number(process.argv[3] ?? 1);
for (let seed = from; seed < from + n; seed++) {
  const t = process.cpuUsage().user;
  const o = await simulate(seed);
  const ms = (process.cpuUsage().user - t) / 1e3;
  console.log(seed, o.hash, 'events', o.events, 'parts', o.parts, 'frames', o.frames, ms.toFixed(0) + 'ms', o.failure?.message ?? 'ok');
  if (process.argv[4]) console.log(o.trace, o.failure?.stack);
}
