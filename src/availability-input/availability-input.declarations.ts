import type { RoomDeclarations } from '../declarations/declarations.js';

export const availabilityInputDeclarations: RoomDeclarations = {
  kept: { availability_input: 'where upstream reads the inputs of availability; nothing about anybody' },
  figures: { availability_query_since: 'SELECT query_since FROM availability_input WHERE id = 1' },
};
