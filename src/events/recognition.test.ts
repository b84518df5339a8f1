import { expect, it } from 'vitest';
import { sortFaces, sortVehicles } from './recognition.ts';

it('knows a face by its name or its person', () => {
  const face = (faceName: string | null, personUuid: string | null) => ({ faceName, personUuid });
  const [named, person, both, unknown] = [
    face('Ada', null),
    face(null, 'p'),
    face('Bo', 'q'),
    face(null, null),
  ];
  expect(sortFaces([unknown!, named!, person!, both!])).toEqual({
    recognized: [named, person, both],
    unrecognized: [unknown],
  });
});

it('knows a vehicle by its name, not by its plate', () => {
  const named = { vehicleName: 'Van', licensePlateNumber: null };
  const plate = { vehicleName: null, licensePlateNumber: 'AB 123' };
  expect(sortVehicles([plate, named])).toEqual({ recognized: [named], unrecognized: [plate] });
});
