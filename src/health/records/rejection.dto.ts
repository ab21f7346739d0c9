import { ApiProperty } from '@nestjs/swagger';
import { rejectionReasons } from '../catalogue/records.js';

/** Records of a message or a pull that could not be stored, by reason. */
export class RejectionDto {
  @ApiProperty({ enum: rejectionReasons }) reason: string;
  @ApiProperty({ type: 'integer', minimum: 1 }) count: number;
}
