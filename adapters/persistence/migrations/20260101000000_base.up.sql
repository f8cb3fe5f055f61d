CREATE TABLE companies (
  id {{.ID}},
  uuid TEXT NOT NULL,
  name TEXT NOT NULL,
  policy_version BIGINT NOT NULL,
  created_at {{.STAMP}} NOT NULL,
  CONSTRAINT uq_companies_uuid UNIQUE (uuid),
  CONSTRAINT uq_companies_name UNIQUE (name),
  CONSTRAINT ck_companies_name CHECK (name <> '')
);

CREATE TABLE users (
  id {{.ID}},
  company_id BIGINT,
  email TEXT NOT NULL,
  name TEXT NOT NULL,
  password_hash TEXT NOT NULL,
  disabled BOOLEAN NOT NULL,
  created_at {{.STAMP}} NOT NULL,
  CONSTRAINT uq_users_email UNIQUE (email),
  CONSTRAINT fk_users_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT ck_users_email CHECK (email <> '' AND email = lower(email))
);
CREATE INDEX ix_users_company ON users (company_id);

CREATE TABLE roles (
  id {{.ID}},
  company_id BIGINT NOT NULL,
  name TEXT NOT NULL,
  CONSTRAINT uq_roles_name UNIQUE (company_id, name),
  CONSTRAINT fk_roles_company FOREIGN KEY (company_id) REFERENCES companies (id)
);

CREATE TABLE role_slugs (
  role_id BIGINT NOT NULL,
  slug TEXT NOT NULL,
  CONSTRAINT pk_role_slugs PRIMARY KEY (role_id, slug),
  CONSTRAINT fk_role_slugs_role FOREIGN KEY (role_id) REFERENCES roles (id) ON DELETE CASCADE
);

CREATE TABLE user_roles (
  user_id BIGINT NOT NULL,
  role_id BIGINT NOT NULL,
  CONSTRAINT pk_user_roles PRIMARY KEY (user_id, role_id),
  CONSTRAINT fk_user_roles_user FOREIGN KEY (user_id) REFERENCES users (id),
  CONSTRAINT fk_user_roles_role FOREIGN KEY (role_id) REFERENCES roles (id) ON DELETE CASCADE
);
CREATE INDEX ix_user_roles_role ON user_roles (role_id);

CREATE TABLE refresh_tokens (
  hash TEXT NOT NULL,
  family TEXT NOT NULL,
  user_id BIGINT NOT NULL,
  expires_at {{.STAMP}} NOT NULL,
  used_at {{.STAMP}},
  revoked_at {{.STAMP}},
  CONSTRAINT pk_refresh_tokens PRIMARY KEY (hash),
  CONSTRAINT fk_refresh_tokens_user FOREIGN KEY (user_id) REFERENCES users (id)
);
CREATE INDEX ix_refresh_tokens_family ON refresh_tokens (family);
CREATE INDEX ix_refresh_tokens_user ON refresh_tokens (user_id);

CREATE TABLE signing_keys (
  id TEXT NOT NULL,
  seed {{.BYTES}} NOT NULL,
  created_at {{.STAMP}} NOT NULL,
  retired_at {{.STAMP}},
  CONSTRAINT pk_signing_keys PRIMARY KEY (id)
);

-- In every table of a company's records the pair (company_id, id) is a key, so that a
-- foreign key over both keeps a record from pointing into another company.
CREATE TABLE farms (
  id {{.ID}},
  company_id BIGINT NOT NULL,
  created_at {{.STAMP}} NOT NULL,
  updated_at {{.STAMP}} NOT NULL,
  deleted_at {{.STAMP}},
  created_by BIGINT,
  name TEXT NOT NULL,
  name_folded TEXT NOT NULL,
  description TEXT NOT NULL,
  country TEXT NOT NULL,
  region TEXT NOT NULL,
  city TEXT NOT NULL,
  address TEXT NOT NULL,
  postal_code TEXT NOT NULL,
  longitude DOUBLE PRECISION,
  latitude DOUBLE PRECISION,
  timezone TEXT NOT NULL,
  unit_system TEXT NOT NULL,
  owner_name TEXT NOT NULL,
  phone TEXT NOT NULL,
  email TEXT NOT NULL,
  business_id TEXT NOT NULL,
  external_id TEXT NOT NULL,
  source TEXT NOT NULL,
  CONSTRAINT uq_farms_company UNIQUE (company_id, id),
  CONSTRAINT fk_farms_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT fk_farms_created_by FOREIGN KEY (created_by) REFERENCES users (id),
  CONSTRAINT ck_farms_name CHECK (name <> ''),
  CONSTRAINT ck_farms_unit_system CHECK (unit_system IN ('', 'metric', 'imperial')),
  CONSTRAINT ck_farms_location CHECK ((longitude IS NULL) = (latitude IS NULL))
);
CREATE INDEX ix_farms_live ON farms (company_id, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_farms_external_id ON farms (company_id, external_id, id) WHERE deleted_at IS NULL AND external_id <> '';
CREATE INDEX ix_farms_country ON farms (company_id, country, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_farms_created_by ON farms (company_id, created_by, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_farms_updated_at ON farms (company_id, updated_at) WHERE deleted_at IS NULL;

CREATE TABLE fields (
  id {{.ID}},
  company_id BIGINT NOT NULL,
  created_at {{.STAMP}} NOT NULL,
  updated_at {{.STAMP}} NOT NULL,
  deleted_at {{.STAMP}},
  created_by BIGINT,
  uuid TEXT NOT NULL,
  name TEXT NOT NULL,
  name_folded TEXT NOT NULL,
  farm_id BIGINT NOT NULL,
  boundary {{.JSON}},
  boundary_warnings {{.JSON}},
  area_ha DOUBLE PRECISION,
  area_m2 BIGINT NOT NULL,
  perimeter_m DOUBLE PRECISION,
  centroid_x DOUBLE PRECISION,
  centroid_y DOUBLE PRECISION,
  min_x DOUBLE PRECISION,
  min_y DOUBLE PRECISION,
  max_x DOUBLE PRECISION,
  max_y DOUBLE PRECISION,
  declared_area_ha DOUBLE PRECISION,
  boundary_category TEXT NOT NULL,
  boundary_method TEXT NOT NULL,
  boundary_observed_on {{.DAY}},
  soil_type TEXT NOT NULL,
  irrigated BOOLEAN,
  tenure TEXT NOT NULL,
  active_from {{.DAY}},
  active_to {{.DAY}},
  notes TEXT NOT NULL,
  external_id TEXT NOT NULL,
  source TEXT NOT NULL,
  CONSTRAINT uq_fields_uuid UNIQUE (uuid),
  CONSTRAINT uq_fields_company UNIQUE (company_id, id),
  CONSTRAINT fk_fields_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT fk_fields_created_by FOREIGN KEY (created_by) REFERENCES users (id),
  CONSTRAINT fk_fields_farm FOREIGN KEY (company_id, farm_id) REFERENCES farms (company_id, id),
  CONSTRAINT ck_fields_name CHECK (name <> ''),
  CONSTRAINT ck_fields_area CHECK (area_m2 >= 0),
  CONSTRAINT ck_fields_category CHECK (boundary_category IN ('', 'conceptual', 'operational', 'economic', 'administrative', 'other')),
  CONSTRAINT ck_fields_method CHECK (boundary_method IN ('', 'manual', 'surveyed', 'driven', 'auto_operation', 'auto_imagery', 'unknown'))
);
CREATE INDEX ix_fields_live ON fields (company_id, id) WHERE deleted_at IS NULL;
-- Covers the figures of a farm: how many live fields, and their area.
CREATE INDEX ix_fields_farm ON fields (company_id, farm_id, id, area_m2) WHERE deleted_at IS NULL;
-- Covers the search for neighbours.
CREATE INDEX ix_fields_box ON fields (company_id, min_x, max_x, min_y, max_y, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_fields_external_id ON fields (company_id, external_id, id) WHERE deleted_at IS NULL AND external_id <> '';
CREATE INDEX ix_fields_created_by ON fields (company_id, created_by, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_fields_updated_at ON fields (company_id, updated_at) WHERE deleted_at IS NULL;

CREATE TABLE seasons (
  id {{.ID}},
  company_id BIGINT NOT NULL,
  created_at {{.STAMP}} NOT NULL,
  updated_at {{.STAMP}} NOT NULL,
  deleted_at {{.STAMP}},
  created_by BIGINT,
  name TEXT NOT NULL,
  name_folded TEXT NOT NULL,
  start_date {{.DAY}} NOT NULL,
  end_date {{.DAY}} NOT NULL,
  harvest_year INTEGER NOT NULL,
  kind TEXT NOT NULL,
  is_closed BOOLEAN NOT NULL,
  external_id TEXT NOT NULL,
  source TEXT NOT NULL,
  CONSTRAINT uq_seasons_company UNIQUE (company_id, id),
  CONSTRAINT fk_seasons_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT fk_seasons_created_by FOREIGN KEY (created_by) REFERENCES users (id),
  CONSTRAINT ck_seasons_name CHECK (name <> ''),
  CONSTRAINT ck_seasons_dates CHECK (end_date >= start_date),
  CONSTRAINT ck_seasons_kind CHECK (kind IN ('', 'annual', 'winter', 'summer', 'perennial_year', 'other'))
);
CREATE INDEX ix_seasons_live ON seasons (company_id, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_seasons_harvest_year ON seasons (company_id, harvest_year, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_seasons_kind ON seasons (company_id, kind, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_seasons_external_id ON seasons (company_id, external_id, id) WHERE deleted_at IS NULL AND external_id <> '';
CREATE INDEX ix_seasons_created_by ON seasons (company_id, created_by, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_seasons_updated_at ON seasons (company_id, updated_at) WHERE deleted_at IS NULL;

CREATE TABLE crops (
  id {{.ID}},
  created_at {{.STAMP}} NOT NULL,
  updated_at {{.STAMP}} NOT NULL,
  slug TEXT NOT NULL,
  name TEXT NOT NULL,
  scientific_name TEXT NOT NULL,
  icc_group TEXT NOT NULL,
  icc_code TEXT NOT NULL,
  cpc_code TEXT NOT NULL,
  hcat3_code TEXT NOT NULL,
  lifecycle TEXT NOT NULL,
  family TEXT NOT NULL,
  is_n_fixing BOOLEAN NOT NULL,
  is_flooded BOOLEAN NOT NULL,
  is_grassland BOOLEAN NOT NULL,
  is_cover BOOLEAN NOT NULL,
  ghg_crop_type TEXT NOT NULL,
  curve_classes {{.JSON}} NOT NULL,
  names {{.JSON}} NOT NULL,
  is_active BOOLEAN NOT NULL,
  search_folded TEXT NOT NULL,
  CONSTRAINT uq_crops_slug UNIQUE (slug),
  CONSTRAINT ck_crops_slug CHECK (slug <> ''),
  CONSTRAINT ck_crops_lifecycle CHECK (lifecycle IN ('', 'annual', 'biennial', 'perennial'))
);

CREATE TABLE cultivations (
  id {{.ID}},
  company_id BIGINT NOT NULL,
  created_at {{.STAMP}} NOT NULL,
  updated_at {{.STAMP}} NOT NULL,
  deleted_at {{.STAMP}},
  created_by BIGINT,
  season_id BIGINT NOT NULL,
  crop_id BIGINT NOT NULL,
  field_id BIGINT NOT NULL,
  CONSTRAINT uq_cultivations_company UNIQUE (company_id, id),
  CONSTRAINT fk_cultivations_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT fk_cultivations_created_by FOREIGN KEY (created_by) REFERENCES users (id),
  CONSTRAINT fk_cultivations_season FOREIGN KEY (company_id, season_id) REFERENCES seasons (company_id, id),
  CONSTRAINT fk_cultivations_crop FOREIGN KEY (crop_id) REFERENCES crops (id),
  CONSTRAINT fk_cultivations_field FOREIGN KEY (company_id, field_id) REFERENCES fields (company_id, id)
);
CREATE INDEX ix_cultivations_live ON cultivations (company_id, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_cultivations_field ON cultivations (company_id, field_id, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_cultivations_season ON cultivations (company_id, season_id, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_cultivations_crop ON cultivations (company_id, crop_id, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_cultivations_created_by ON cultivations (company_id, created_by, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_cultivations_updated_at ON cultivations (company_id, updated_at) WHERE deleted_at IS NULL;

-- company_id gives, grantee_company_id gets. slugs is a JSON list of view slugs
-- without spaces, kept as text in both databases so that one LIKE finds a slug in it.
CREATE TABLE share_grants (
  id {{.ID}},
  company_id BIGINT NOT NULL,
  grantee_company_id BIGINT NOT NULL,
  target TEXT NOT NULL,
  farm_id BIGINT,
  field_id BIGINT,
  slugs TEXT NOT NULL,
  status TEXT NOT NULL,
  ends_on {{.DAY}},
  created_at {{.STAMP}} NOT NULL,
  updated_at {{.STAMP}} NOT NULL,
  created_by BIGINT,
  CONSTRAINT fk_share_grants_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT fk_share_grants_grantee FOREIGN KEY (grantee_company_id) REFERENCES companies (id),
  CONSTRAINT fk_share_grants_farm FOREIGN KEY (company_id, farm_id) REFERENCES farms (company_id, id),
  CONSTRAINT fk_share_grants_field FOREIGN KEY (company_id, field_id) REFERENCES fields (company_id, id),
  CONSTRAINT fk_share_grants_created_by FOREIGN KEY (created_by) REFERENCES users (id),
  CONSTRAINT ck_share_grants_parties CHECK (company_id <> grantee_company_id),
  CONSTRAINT ck_share_grants_target CHECK (
    (target = 'all' AND farm_id IS NULL AND field_id IS NULL) OR
    (target = 'farm' AND farm_id IS NOT NULL AND field_id IS NULL) OR
    (target = 'field' AND farm_id IS NULL AND field_id IS NOT NULL)),
  CONSTRAINT ck_share_grants_status CHECK (status IN ('pending', 'accepted', 'declined', 'revoked', 'expired'))
);
CREATE INDEX ix_share_grants_company ON share_grants (company_id, id);
CREATE INDEX ix_share_grants_grantee ON share_grants (grantee_company_id, company_id) WHERE status = 'accepted';
