import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsString, Matches, MaxLength } from 'class-validator';
import { OptionalField } from '../../http/server/openapi.js';
import { slugPattern } from '../../platform/platform/ids.js';

export class SignInTokenRequest {
  @OptionalField({
    type: String,
    nullable: true,
    description: 'Installation of the app that requests the token; a random id of its own, not a device id.',
  })
  @Matches(/^[A-Za-z0-9._:-]{1,255}$/)
  installation_id?: string | null;
}

export class SignInTokenDto {
  @ApiProperty({ format: 'uuid', description: 'The upstream user.' })
  user_id: string;

  @ApiProperty({ description: 'Short-lived and secret: hand it to the SDK, keep no copy.' })
  sign_in_token: string;
}

export class LinkTokenRequest {
  @OptionalField({ type: String, nullable: true, description: 'Go straight to this provider.' })
  @Matches(slugPattern)
  provider?: string | null;

  @OptionalField({ type: [String], nullable: true, description: 'Show only these providers.' })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(100)
  @ArrayUnique()
  @Matches(slugPattern, { each: true })
  filter_on_providers?: string[] | null;

  @OptionalField({
    type: String,
    nullable: true,
    description:
      'Address to which the browser returns, with the parameter link_attempt_id; its origin must be allowed.',
  })
  @IsString()
  @MaxLength(2_048)
  redirect_url?: string | null;

  @OptionalField({ enum: ['redirect'], nullable: true })
  on_error?: 'redirect' | null;

  @OptionalField({ enum: ['redirect'], nullable: true })
  on_close?: 'redirect' | null;
}

export class LinkTokenDto {
  @ApiProperty({ description: 'Secret, for one attempt.' })
  link_token: string;

  @ApiProperty({ description: 'The hosted page, ready to open; holds the token. Empty if upstream named none.' })
  link_web_url: string;

  @ApiProperty({ format: 'uuid' })
  link_attempt_id: string;
}
