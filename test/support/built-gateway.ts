/** Before tests start gateways: the bundle that they run, as installations do. */

import { ensureBuilt } from '../../scripts/built.mjs';

export function setup(): void {
  if (!ensureBuilt(process.execPath)) throw new Error('the gateway cannot be bundled; see above');
}
