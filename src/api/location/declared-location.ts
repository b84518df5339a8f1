/** The refusal for locations that the configuration file declares. */

import { GatewayError } from '../../core/errors.ts';
import type { Location } from '../../store/entities.ts';
import { DEVICE_ERRORS } from '../relay/errors.ts';

/** `advice`: what to do instead. */
export function declaredLocation(location: Location, advice: string): GatewayError {
  return new GatewayError(DEVICE_ERRORS.DEVICE_DECLARED_IN_CONFIG, {
    location: location.uuid,
    sentence: `The configuration file declares the location ${location.name}: ${advice}.`,
  });
}
