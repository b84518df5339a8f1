/** Addresses of the pages that add and change cameras. */

import { place } from './places.ts';

export type AddWay = 'network' | 'recorder' | 'address' | 'push' | 'file';

export const SITES_PLACE = place('sites');

/** Where sites are. */
export const MAP_PLACE = place('map');

/** A site with its floor plan. */
export function sitePlace(uuid: string): string {
  return place(`sites/${encodeURIComponent(uuid)}`);
}

export const ADD_CAMERA_PLACE = place('cameras/add');

export function addPlace(way: AddWay): string {
  return place(`cameras/add?way=${way}`);
}

/** Adds the channels of the recorder at this address. */
export function recorderPlace(address: string): string {
  return `${addPlace('recorder')}&address=${encodeURIComponent(address)}`;
}

export function cameraPlace(uuid: string): string {
  return place(`cameras/${encodeURIComponent(uuid)}`);
}

/** What its streams do and did. */
export function cameraDetailsPlace(uuid: string): string {
  return place(`cameras/${encodeURIComponent(uuid)}/details`);
}

/** What viewers of its links do not see. */
export function cameraMasksPlace(uuid: string): string {
  return place(`cameras/${encodeURIComponent(uuid)}/masks`);
}

/** `field`: of the form, which is to be changed. */
export function cameraSourcePlace(uuid: string, field?: string): string {
  return place(`cameras/${encodeURIComponent(uuid)}/source${field === undefined ? '' : `?field=${field}`}`);
}
