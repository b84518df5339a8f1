/** What a device says of itself (devices/device-report.ts), as it is reported and as states and records show it. */

import type { TSchema } from 'typebox';
import type { DeviceReport } from '../../devices/device-report.ts';
import { deviceFacetUuid, flag, int32, int64, listOf, text } from '../fields/field-types.ts';

const MAX_ADDRESSES = 64;
const MAX_FACETS = 104;
const MAX_URI_LENGTH = 2_048;

const address = text('Address.');

/** Fields of states. */
export const REPORTED_STATE_FIELDS = {
  defaultInterface: text('The network interface it uses.'),
  defaultInterfaceMac: text('The MAC address of that interface.'),
  externalIPAddress: text('Its address as the internet sees it.'),
  lanAddresses: listOf(address, 'Its addresses in the local network.', MAX_ADDRESSES),
  secondaryLanAddresses: listOf(address, 'Its addresses in a second network.', MAX_ADDRESSES),
  firmwareVersion: text('The firmware that it runs.'),
  firmwareUpdateInProgress: flag('True while it installs another.'),
  hwVariation: text('The code of its hardware model.'),
  mediaRegion: text('The region that keeps its media.'),
  region: text('The region that it is served from.'),
  mediaStorageDeviceUuid: deviceFacetUuid('The device that keeps its media.'),
  ssid: text('The Wi-Fi that it uses.'),
  wifiApMac: text('The MAC address of the access point.'),
  wifiBars: int32('Bars of its Wi-Fi.', 0, 10),
  wifiSignalStrength: int32('Signal strength of its Wi-Fi, dBm.'),
};

/** Fields of full states alone. */
export const REPORTED_FULL_STATE_FIELDS = {
  afSupport: flag('True when it can focus by itself.'),
  baseVideoOperationUri: text('Where it takes operations on its video.', MAX_URI_LENGTH),
  latestFirmwareVersion: text('The newest firmware that there is for it.'),
  maxZoomPercent: int32('How far it zooms, percent.', 0),
  versionsBehind: int32('Releases between its firmware and the newest.', 0),
};

/** Fields of records alone. */
export const REPORTED_RECORD_FIELDS = {
  archiveRegion: text('The region that keeps its archive.'),
  cameraFramerate: int32('Pictures per second.', 0),
};

/** Fields of NVRs alone. */
export const REPORTED_NVR_FIELDS = {
  numThirdPartyCamerasSupported: int32('How many third-party cameras it takes.', 0),
  primaryLinkSpeedMbps: int32('Speed of its first link, Mbit/s.', 0),
  secondaryLinkSpeedMbps: int32('Speed of its second link, Mbit/s.', 0),
  totalStreamingPixels: int64('Pixels of all streams that it can take together.', 0),
};

/** `serialNumber` and `supportedFacets` stand in where the gateway itself knows none. */
export const REPORTED_FIELDS = {
  ...REPORTED_STATE_FIELDS,
  ...REPORTED_FULL_STATE_FIELDS,
  ...REPORTED_RECORD_FIELDS,
  ...REPORTED_NVR_FIELDS,
  serialNumber: text('Its serial number, for cameras.'),
  supportedFacets: listOf(text('Facet.', 8), 'Its facets, such as `v0` and `a0`.', MAX_FACETS),
} satisfies Record<keyof DeviceReport, TSchema>;
