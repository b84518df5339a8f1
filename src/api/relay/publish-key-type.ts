/** What the endpoints of publish keys have in common. */

import { plainText } from '../../http/fields/field-types.ts';

export const PUBLISH_KEY_SCHEMA = plainText(
  'The key, shown only here: 32 letters, digits, hyphens and underscores. Encoders call it stream key.',
);

export const EXAMPLE_PUBLISH_KEY = 'mL3vQx8dT0aWc5YpR2nEu7KfHs_4jZ-B';

export const WHERE_DEVICES_PUSH =
  'Set the device to push to `rtmp://`, the host of the gateway, `:1935/live/` (or the port of `rtmp.listen`) and the key.';
