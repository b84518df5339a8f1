/** DeviceTypeEnum of the specification (docs/spec/enumerations.md#devicetypeenum): the kinds of devices. */

export const DEVICE_TYPES = [
  'BLE_TRACKER',
  'CAMERA',
  'DOOR_SENSOR',
  'ENVIRONMENTAL_SENSOR',
  'OCCUPANCY_SENSOR',
  'AUDIO_GATEWAY',
  'EXECUTABLE',
  'BADGE_READER',
  'DOOR_CONTROLLER',
  'BLE_BUTTON',
  'IO_BOARD',
  'ENVIRONMENTAL_GATEWAY',
  'NVR',
  'ROBOT',
  'UNKNOWN',
] as const;
