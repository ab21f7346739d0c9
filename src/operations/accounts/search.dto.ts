import { ApiProperty } from '@nestjs/swagger';
import { Matches } from 'class-validator';

/** Ids contain no spaces, so a text with one finds nothing. */
export class SearchQuery {
  @ApiProperty({
    minLength: 2,
    maxLength: 200,
    description:
      'Any part of an account id, or the beginning of another id: of an upstream user, pseudonym or `log_ref` at least ' +
      '8 characters. Also an id as the console shortens it: `8440121b-1c…53b8a`.',
    example: 'demo-user',
  })
  @Matches(/^[^\s\p{Cc}\p{Cs}]{2,200}$/u, { message: 'q must have 2 to 200 characters and no spaces' })
  q: string;
}

export class SearchHitDto {
  @ApiProperty({ description: 'What has this id.', example: 'account' })
  kind: string;
  @ApiProperty({ example: 'demo-user-01' })
  id: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The account it belongs to; null if it belongs to none.',
    example: 'demo-user-01',
  })
  account_id: string | null;
}

export class SearchResultDto {
  @ApiProperty({ type: [SearchHitDto], description: 'At most 5 of each kind.' })
  data: SearchHitDto[];
  @ApiProperty({
    type: [String],
    description: 'The kinds that were searched: accounts by all their ids, the others by the beginning of theirs.',
    example: ['account', 'order', 'message'],
  })
  searched: string[];
}
