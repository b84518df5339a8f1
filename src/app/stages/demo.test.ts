import { expect, it } from 'vitest';
import { DEMO_CAMERA_UUID as OF_THE_CONSOLE } from '../../../web/console/demo-camera.ts';
import { DEMO_CAMERA_UUID } from '../../devices/operators-camera.ts';

it('the console knows the demo by its UUID', () => expect(OF_THE_CONSOLE).toBe(DEMO_CAMERA_UUID));
