/** `sluice drain`: the node of a cluster that runs on this machine gives its cameras to other nodes. */

import { join } from 'node:path';
import { DRAIN_SOCKET } from '../config/data-folder.ts';
import { loadConfig } from '../config/load-config.ts';
import { askToDrain } from '../process/drain-socket.ts';
import type { Command } from './command.ts';
import { parseOptions } from './command-options.ts';

const HELP = `sluice drain: give the cameras of this machine's node to other nodes of its cluster

Ends when the other nodes have them. From the start on, /readyz of the node returns 503, so load balancers send viewers
elsewhere. The node keeps serving those that it has until you stop it, and takes no cameras until you start it again.
SIGTERM does the same before it stops the node, but has only seconds for it.

If no other node could take the cameras, the command fails and changes nothing.

Options
  --config FILE    configuration file; it sets the data folder

Example
  sluice drain && systemctl stop sluice
`;

const OPTIONS = { config: { type: 'string' } } as const;

async function run(args: string[]): Promise<number> {
  const { values } = parseOptions('drain', args, OPTIONS);
  const path = values.config === undefined ? {} : { path: values.config };
  const { data } = loadConfig({ env: process.env, ...path });
  await askToDrain(join(data, DRAIN_SOCKET));
  process.stdout.write('The node is drained: other nodes have its cameras.\n');
  return 0;
}

export const drainCommand: Command = { help: HELP, run };
