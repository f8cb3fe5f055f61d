PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE schema_migrations ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "name" VARCHAR, "group_id" INTEGER, "migrated_at" TIMESTAMP NOT NULL DEFAULT current_timestamp);
INSERT INTO schema_migrations VALUES(1,'20260101000000',1,'2026-11-27 14:21:29');
INSERT INTO schema_migrations VALUES(3,'20260101000001',1,'2026-11-27 14:21:29');
CREATE TABLE companies (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uuid TEXT NOT NULL,
  name TEXT NOT NULL,
  policy_version BIGINT NOT NULL,
  created_at TEXT NOT NULL,
  CONSTRAINT uq_companies_uuid UNIQUE (uuid),
  CONSTRAINT uq_companies_name UNIQUE (name),
  CONSTRAINT ck_companies_name CHECK (name <> '')
);
INSERT INTO companies VALUES(1,'20111337-eac5-47f4-93fc-46becf66ed81','Tilth Demo (synthetic data)',4,'2026-11-27T14:21:29.541034Z');
INSERT INTO companies VALUES(2,'a94299b9-2527-4058-991f-af8af10dac40','Neighbour',2,'2026-11-27T14:21:32.905407Z');
CREATE TABLE users (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  company_id BIGINT,
  email TEXT NOT NULL,
  name TEXT NOT NULL,
  password_hash TEXT NOT NULL,
  disabled BOOLEAN NOT NULL,
  created_at TEXT NOT NULL,
  CONSTRAINT uq_users_email UNIQUE (email),
  CONSTRAINT fk_users_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT ck_users_email CHECK (email <> '' AND email = lower(email))
);
INSERT INTO users VALUES(1,1,'owner@demo.example','Olivia Owner','$argon2id$v=19$m=65536,t=3,p=2$5Vs3TKYrOlQUboJck7jEnQ$B4Z6AbMvl4oqlNx7Ev/s9yWnnWO+MIl7qxvjU8hdmQM',0,'2026-11-27T14:21:30.307872Z');
INSERT INTO users VALUES(2,1,'editor@demo.example','Emil Editor','$argon2id$v=19$m=65536,t=3,p=2$7i20cf6cR+WSftevkMBWaw$P4lOCd4FAZgES978boE6JKgrB3XDDL8cYWvRpJ2qSw4',0,'2026-11-27T14:21:30.986371Z');
INSERT INTO users VALUES(3,1,'viewer@demo.example','Vera Viewer','$argon2id$v=19$m=65536,t=3,p=2$KgwkY5Ek7ogmHQJGq+WoHg$zlNdqbyohjClYG+evPLKPmgGnRyUqVX/L6MoM3Bn2I0',0,'2026-11-27T14:21:31.409377Z');
INSERT INTO users VALUES(4,2,'neighbour@demo.example','neighbour','',0,'2026-11-27T14:21:32.920469Z');
CREATE TABLE roles (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  company_id BIGINT NOT NULL,
  name TEXT NOT NULL,
  CONSTRAINT uq_roles_name UNIQUE (company_id, name),
  CONSTRAINT fk_roles_company FOREIGN KEY (company_id) REFERENCES companies (id)
);
INSERT INTO roles VALUES(1,1,'owner');
INSERT INTO roles VALUES(2,1,'editor');
INSERT INTO roles VALUES(3,1,'viewer');
INSERT INTO roles VALUES(4,2,'owner');
INSERT INTO roles VALUES(5,2,'editor');
INSERT INTO roles VALUES(6,2,'viewer');
CREATE TABLE role_slugs (
  role_id BIGINT NOT NULL,
  slug TEXT NOT NULL,
  CONSTRAINT pk_role_slugs PRIMARY KEY (role_id, slug),
  CONSTRAINT fk_role_slugs_role FOREIGN KEY (role_id) REFERENCES roles (id) ON DELETE CASCADE
);
INSERT INTO role_slugs VALUES(1,'*');
INSERT INTO role_slugs VALUES(2,'*.view');
INSERT INTO role_slugs VALUES(2,'farm.*');
INSERT INTO role_slugs VALUES(2,'field.*');
INSERT INTO role_slugs VALUES(2,'season.*');
INSERT INTO role_slugs VALUES(2,'cultivation.*');
INSERT INTO role_slugs VALUES(2,'fertilization.*');
INSERT INTO role_slugs VALUES(2,'assessment.*');
INSERT INTO role_slugs VALUES(2,'aoi.*');
INSERT INTO role_slugs VALUES(2,'vi-profile.*');
INSERT INTO role_slugs VALUES(2,'stratification_map.*');
INSERT INTO role_slugs VALUES(2,'sample_plan_map.*');
INSERT INTO role_slugs VALUES(2,'stratification_order.*');
INSERT INTO role_slugs VALUES(2,'share_grant.*');
INSERT INTO role_slugs VALUES(2,'webhook.*');
INSERT INTO role_slugs VALUES(2,'sample.*');
INSERT INTO role_slugs VALUES(3,'*.view');
INSERT INTO role_slugs VALUES(4,'*');
INSERT INTO role_slugs VALUES(5,'*.view');
INSERT INTO role_slugs VALUES(5,'farm.*');
INSERT INTO role_slugs VALUES(5,'field.*');
INSERT INTO role_slugs VALUES(5,'season.*');
INSERT INTO role_slugs VALUES(5,'cultivation.*');
INSERT INTO role_slugs VALUES(5,'fertilization.*');
INSERT INTO role_slugs VALUES(5,'assessment.*');
INSERT INTO role_slugs VALUES(5,'aoi.*');
INSERT INTO role_slugs VALUES(5,'vi-profile.*');
INSERT INTO role_slugs VALUES(5,'stratification_map.*');
INSERT INTO role_slugs VALUES(5,'sample_plan_map.*');
INSERT INTO role_slugs VALUES(5,'stratification_order.*');
INSERT INTO role_slugs VALUES(5,'share_grant.*');
INSERT INTO role_slugs VALUES(5,'webhook.*');
INSERT INTO role_slugs VALUES(5,'sample.*');
INSERT INTO role_slugs VALUES(6,'*.view');
CREATE TABLE user_roles (
  user_id BIGINT NOT NULL,
  role_id BIGINT NOT NULL,
  CONSTRAINT pk_user_roles PRIMARY KEY (user_id, role_id),
  CONSTRAINT fk_user_roles_user FOREIGN KEY (user_id) REFERENCES users (id),
  CONSTRAINT fk_user_roles_role FOREIGN KEY (role_id) REFERENCES roles (id) ON DELETE CASCADE
);
INSERT INTO user_roles VALUES(1,1);
INSERT INTO user_roles VALUES(2,2);
INSERT INTO user_roles VALUES(3,3);
INSERT INTO user_roles VALUES(4,4);
CREATE TABLE refresh_tokens (
  hash TEXT NOT NULL,
  family TEXT NOT NULL,
  user_id BIGINT NOT NULL,
  expires_at TEXT NOT NULL,
  used_at TEXT,
  revoked_at TEXT,
  CONSTRAINT pk_refresh_tokens PRIMARY KEY (hash),
  CONSTRAINT fk_refresh_tokens_user FOREIGN KEY (user_id) REFERENCES users (id)
);
INSERT INTO refresh_tokens VALUES('2191c23fd11cf597f858b4b3a4cb210aa46d26ee9dd4aa4aa09b47d226dcb895','9de2a989-e46b-458d-b7e2-35ceed9955ac',1,'2026-12-27T14:21:32.147891Z','2026-11-27T14:21:32.950684Z',NULL);
INSERT INTO refresh_tokens VALUES('093e2be8b10b6575274c40672e25d149eed09bb8e9902c0f0bb467a12ffc7fcc','9de2a989-e46b-458d-b7e2-35ceed9955ac',1,'2026-12-27T14:21:32.950684Z',NULL,NULL);
CREATE TABLE signing_keys (
  id TEXT NOT NULL,
  seed BLOB NOT NULL,
  created_at TEXT NOT NULL,
  retired_at TEXT,
  CONSTRAINT pk_signing_keys PRIMARY KEY (id)
);
INSERT INTO signing_keys VALUES('e4bc9c68-7e67-4f0a-9db0-3615ce4b5819',X'63b0db315856dd6822a204e5ba943b354410e384235e05576f85439846482eff','2026-11-27T14:21:29.534476Z',NULL);
CREATE TABLE farms (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  company_id BIGINT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT,
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
INSERT INTO farms VALUES(1,1,'2026-11-27T14:21:31.417135Z','2026-11-27T14:21:31.417135Z',NULL,1,'Demo farm','demo farm','Demonstration data: the imagery of this farm is synthetic.','spain','','','','',NULL,NULL,'Europe/Madrid','metric','','','','','','tilth-demo');
INSERT INTO farms VALUES(2,1,'2026-11-27T14:21:32.218601Z','2026-11-27T14:21:32.218601Z',NULL,1,'Räubertal','räubertal','by the river','spain','Castilla y León','Peñafiel','','47300',NULL,NULL,'','metric','Ana Gómez','+34 600 000 000','ana@farm.example','','F-1','');
CREATE TABLE fields (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  company_id BIGINT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT,
  created_by BIGINT,
  uuid TEXT NOT NULL,
  name TEXT NOT NULL,
  name_folded TEXT NOT NULL,
  farm_id BIGINT NOT NULL,
  boundary TEXT,
  boundary_warnings TEXT,
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
  boundary_observed_on TEXT,
  soil_type TEXT NOT NULL,
  irrigated BOOLEAN,
  tenure TEXT NOT NULL,
  active_from TEXT,
  active_to TEXT,
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
INSERT INTO fields VALUES(1,1,'2026-11-27T14:21:31.424110Z','2026-11-27T14:21:31.424110Z',NULL,1,'c00ed812-1cb5-4438-901f-c8ede6adf7ea','North pivot','north pivot',1,'{"type":"Polygon","coordinates":[[[-4.184252,41.78317],[-4.184384,41.783845],[-4.184744,41.784471],[-4.185308,41.785006],[-4.186038,41.785414],[-4.186885,41.785666],[-4.18779,41.785745],[-4.188691,41.785647],[-4.189528,41.785378],[-4.190243,41.784955],[-4.190787,41.784408],[-4.191124,41.783775],[-4.19123,41.783098],[-4.191099,41.782423],[-4.190739,41.781797],[-4.190174,41.781262],[-4.189444,41.780854],[-4.188598,41.780602],[-4.187693,41.780522],[-4.186792,41.780621],[-4.185955,41.78089],[-4.18524,41.781313],[-4.184696,41.781859],[-4.184359,41.782493],[-4.184252,41.78317]]]}','null',26.135274826959157933,261353,1817.4554701383824522,-4.1877413088903443494,41.783133954603137285,-4.191230000000000011,41.780521999999997717,-4.1842519999999998603,41.785744999999998583,NULL,'','manual',NULL,'',NULL,'',NULL,NULL,'Demonstration data: the imagery of this farm is synthetic.','','tilth-demo');
INSERT INTO fields VALUES(2,1,'2026-11-27T14:21:31.428925Z','2026-11-27T14:21:31.428925Z',NULL,1,'43057610-3168-4674-8057-2768d399b2fe','Border field','border field',1,'{"type":"Polygon","coordinates":[[[-4.207574,41.775632],[-4.196499,41.775297],[-4.195966,41.778996],[-4.201754,41.779656],[-4.207039,41.77915],[-4.207574,41.775632]]]}','null',39.982728075408530798,399827,2657.733555804972184,-4.2017133256277343633,41.777415177035614134,-4.2075740000000001472,41.775297000000001903,-4.1959660000000003066,41.779656000000002791,NULL,'','manual',NULL,'',NULL,'',NULL,NULL,'Demonstration data: the imagery of this farm is synthetic.','','tilth-demo');
INSERT INTO fields VALUES(3,1,'2026-11-27T14:21:31.430730Z','2026-11-27T14:21:31.430730Z',NULL,1,'01ed448f-9b56-46cc-85a7-c9ff66ecc524','Pond meadow','pond meadow',1,'{"type":"Polygon","coordinates":[[[-4.216819,41.768239],[-4.209952,41.767771],[-4.208934,41.771204],[-4.212207,41.772521],[-4.216404,41.771756],[-4.216819,41.768239]],[[-4.212083,41.769797],[-4.212366,41.76958],[-4.212755,41.769498],[-4.213147,41.769572],[-4.213438,41.769783],[-4.213548,41.770075],[-4.213449,41.770368],[-4.213167,41.770586],[-4.212777,41.770668],[-4.212385,41.770594],[-4.212094,41.770383],[-4.211984,41.770091],[-4.212083,41.769797]]]}','null',25.782744761166952684,257827,2428.1194044269082041,-4.2129681185079386196,41.77004838331439629,-4.2168190000000000949,41.767771000000003312,-4.2089340000000001751,41.772520999999997572,NULL,'','manual',NULL,'',NULL,'',NULL,NULL,'Demonstration data: the imagery of this farm is synthetic.','','tilth-demo');
INSERT INTO fields VALUES(4,1,'2026-11-27T14:21:31.432806Z','2026-11-27T14:21:31.432806Z',NULL,1,'f89b5d0c-d8ed-4bf8-a45d-16304951ee4c','Kitchen plot','kitchen plot',1,'{"type":"Polygon","coordinates":[[[-4.219301,41.784785],[-4.21894,41.784789],[-4.218945,41.785059],[-4.219306,41.785055],[-4.219301,41.784785]]]}','null',0.090013321930646886248,900,120.00891532069243794,-4.2191230000000006228,41.784922000000001675,-4.2193059999999995568,41.784784999999999401,-4.2189399999999999124,41.785058999999996841,NULL,'','manual',NULL,'',NULL,'',NULL,NULL,'Demonstration data: the imagery of this farm is synthetic.','','tilth-demo');
INSERT INTO fields VALUES(5,1,'2026-11-27T14:21:31.434641Z','2026-11-27T14:21:31.434641Z',NULL,1,'d2edd0e6-b855-4d2d-8ae0-05d3d87bb960','Long acre','long acre',1,'{"type":"Polygon","coordinates":[[[-4.191535,41.767243],[-4.190569,41.767073],[-4.18856,41.77556],[-4.189526,41.77573],[-4.191535,41.767243]]]}','null',7.8866643637636562047,78867,2079.6729017862808177,-4.1900474999999994807,41.77140150000000318,-4.1915350000000000108,41.767073000000003446,-4.1885599999999998388,41.775730000000002918,NULL,'','manual',NULL,'',NULL,'',NULL,NULL,'Demonstration data: the imagery of this farm is synthetic.','','tilth-demo');
INSERT INTO fields VALUES(6,1,'2026-11-27T14:21:31.436509Z','2026-11-27T14:21:31.436509Z',NULL,1,'8429dd1b-4ea9-43e6-9955-6d86bd158875','Mill fallow','mill fallow',1,'{"type":"Polygon","coordinates":[[[-4.228538,41.771446],[-4.222876,41.771056],[-4.222229,41.775026],[-4.227897,41.775686],[-4.228538,41.771446]]]}','null',21.787435969382517697,217874,1867.8305356896296416,-4.2254150909967718163,41.773309208786109534,-4.2285380000000003519,41.771056000000001519,-4.2222289999999995657,41.775686000000000321,NULL,'','manual',NULL,'',NULL,'',NULL,NULL,'Demonstration data: the imagery of this farm is synthetic.','','tilth-demo');
INSERT INTO fields VALUES(7,1,'2026-11-27T14:21:31.438391Z','2026-11-27T14:21:31.438391Z',NULL,1,'baae924f-5386-475e-964d-e0b2c6f6f688','Terrace','terrace',1,'{"type":"Polygon","coordinates":[[[-4.184348,41.768758],[-4.176529,41.768838],[-4.176575,41.77136],[-4.180545,41.771319],[-4.180605,41.774561],[-4.184454,41.774521],[-4.184348,41.768758]]]}','null',29.738158780982537621,297382,2580.7929550917683627,-4.1812513676678104701,41.771167792801719544,-4.1844539999999996737,41.768757999999998275,-4.17652900000000038,41.774560999999998502,NULL,'','manual',NULL,'',NULL,'',NULL,NULL,'Demonstration data: the imagery of this farm is synthetic.','','tilth-demo');
INSERT INTO fields VALUES(8,1,'2026-11-27T14:21:31.441993Z','2026-11-27T14:21:31.441993Z',NULL,1,'7214fd88-0e0b-43c2-ba4c-6fe69e27c5db','Twin fields','twin fields',1,'{"type":"MultiPolygon","coordinates":[[[[-4.216222,41.781395],[-4.211766,41.781172],[-4.211464,41.784327],[-4.215919,41.78446],[-4.216222,41.781395]]],[[[-4.211032,41.781179],[-4.2079,41.781032],[-4.207716,41.784006],[-4.210728,41.784245],[-4.211032,41.781179]]]]}','null',21.453768448185208228,214538,2619.4143673370217583,-4.2120346315090628763,41.782744942171134994,-4.2162220000000001363,41.78103200000000328,-4.2077159999999995676,41.784460000000002823,NULL,'','manual',NULL,'',NULL,'',NULL,NULL,'Demonstration data: the imagery of this farm is synthetic.','','tilth-demo');
INSERT INTO fields VALUES(9,1,'2026-11-27T14:21:31.444829Z','2026-11-27T14:21:31.444829Z',NULL,1,'47aa0908-7aa7-489e-82aa-314a0f40ee84','River field','river field',1,'{"type":"Polygon","coordinates":[[[-4.183528,41.776512],[-4.177506,41.776214],[-4.17526,41.778399],[-4.177806,41.779453],[-4.183335,41.779126],[-4.183528,41.776512]]]}','null',19.26957509633643184,192696,1801.7274978048412777,-4.179759569424362553,41.777847183958598973,-4.1835279999999999134,41.776214000000003066,-4.1752599999999997493,41.779452999999996619,NULL,'','manual',NULL,'',NULL,'',NULL,NULL,'Demonstration data: the imagery of this farm is synthetic.','','tilth-demo');
INSERT INTO fields VALUES(10,1,'2026-11-27T14:21:32.238262Z','2026-11-27T14:21:32.238262Z',NULL,1,'5429fd24-3323-4c32-a217-85d8c24de269','Long acre','long acre',2,'{"type":"Polygon","coordinates":[[[-4.2243,41.7794],[-4.2206,41.7794],[-4.2206,41.7822],[-4.2243,41.7822],[-4.2243,41.7794]]]}','null',9.566079291192124856,95661,1237.1818008798727532,-4.2224500000000002586,41.780799999999999271,-4.2243000000000003879,41.779400000000002533,-4.2206000000000001293,41.782200000000003113,9.4000000000000003552,'','',NULL,'clay',1,'owned',NULL,NULL,'wet in March','P-1','');
INSERT INTO fields VALUES(11,1,'2026-11-27T14:21:32.772905Z','2026-11-27T14:21:32.794840Z','2026-11-27T14:21:32.794840Z',1,'983d2ccb-1666-427d-b388-50ca2d93fe23','Gone','gone',2,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'','',NULL,'',NULL,'',NULL,NULL,'','','');
CREATE TABLE seasons (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  company_id BIGINT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT,
  created_by BIGINT,
  name TEXT NOT NULL,
  name_folded TEXT NOT NULL,
  start_date TEXT NOT NULL,
  end_date TEXT NOT NULL,
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
INSERT INTO seasons VALUES(1,1,'2026-11-27T14:21:31.418358Z','2026-11-27T14:21:31.418358Z',NULL,1,'Season 2025','season 2025','2025-03-01','2025-10-31',2025,'summer',0,'','tilth-demo');
INSERT INTO seasons VALUES(2,1,'2026-11-27T14:21:32.326204Z','2026-11-27T14:21:32.326204Z',NULL,1,'Summer 2025','summer 2025','2025-03-01','2025-10-31',2025,'summer',0,'','');
CREATE TABLE crops (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
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
  curve_classes TEXT NOT NULL,
  names TEXT NOT NULL,
  is_active BOOLEAN NOT NULL,
  search_folded TEXT NOT NULL,
  CONSTRAINT uq_crops_slug UNIQUE (slug),
  CONSTRAINT ck_crops_slug CHECK (slug <> ''),
  CONSTRAINT ck_crops_lifecycle CHECK (lifecycle IN ('', 'annual', 'biennial', 'perennial'))
);
INSERT INTO crops VALUES(1,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','amaranth','Amaranth','Amaranthus spp.','1','','','3301150100','annual','Amaranthaceae',0,0,0,0,'grains','null','{"de":"Amarant","es":"amaranto","fr":"amarante","pt":"amaranto"}',1,replace('amaranth\namaranthus spp.\namaranth\namarant\namaranto\namarante\namaranto','\n',char(10)));
INSERT INTO crops VALUES(2,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','buckwheat','Buckwheat','Fagopyrum esculentum','1','1.10','01192','3301150200','annual','Polygonaceae',0,0,0,0,'grains','null','{"de":"Buchweizen","es":"trigo sarraceno","fr":"sarrasin","pt":"trigo-sarraceno"}',1,replace('buckwheat\nfagopyrum esculentum\nbuckwheat\nbuchweizen\ntrigo sarraceno\nsarrasin\ntrigo-sarraceno','\n',char(10)));
INSERT INTO crops VALUES(3,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','canary_seed','Canary seed','Phalaris canariensis','1','1.13','01195','3301011400','annual','Poaceae',0,0,0,0,'grains','null','{"de":"Kanariengras","es":"alpiste","fr":"alpiste","pt":"alpiste"}',1,replace('canary seed\nphalaris canariensis\ncanary_seed\nkanariengras\nalpiste\nalpiste\nalpiste','\n',char(10)));
INSERT INTO crops VALUES(4,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','durum_wheat','Durum wheat','Triticum turgidum subsp. durum','1','1.01','0111','3301010200','annual','Poaceae',0,0,0,0,'grains','null','{"de":"Hartweizen","es":"trigo duro","fr":"blé dur","pt":"trigo duro"}',1,replace('durum wheat\ntriticum turgidum subsp. durum\ndurum_wheat\nhartweizen\ntrigo duro\nblé dur\ntrigo duro','\n',char(10)));
INSERT INTO crops VALUES(5,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','emmer','Emmer','Triticum turgidum subsp. dicoccum','1','','','3301011200','annual','Poaceae',0,0,0,0,'grains','null','{"de":"Emmer","fr":"amidonnier"}',1,replace('emmer\ntriticum turgidum subsp. dicoccum\nemmer\nemmer\namidonnier','\n',char(10)));
INSERT INTO crops VALUES(6,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','finger_millet','Finger millet','Eleusine coracana','1','1.08','0118','3301010900','annual','Poaceae',0,0,0,0,'millet','null','{"de":"Fingerhirse","fr":"éleusine"}',1,replace('finger millet\neleusine coracana\nfinger_millet\nfingerhirse\néleusine','\n',char(10)));
INSERT INTO crops VALUES(7,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','fonio','Fonio','Digitaria exilis','1','1.11','01193','','annual','Poaceae',0,0,0,0,'grains','null','{"de":"Fonio","es":"fonio","fr":"fonio"}',1,replace('fonio\ndigitaria exilis\nfonio\nfonio\nfonio\nfonio','\n',char(10)));
INSERT INTO crops VALUES(8,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','foxtail_millet','Foxtail millet','Setaria italica','1','1.08','0118','3301010900','annual','Poaceae',0,0,0,0,'millet','null','{"de":"Kolbenhirse","es":"moha","fr":"millet des oiseaux"}',1,replace('foxtail millet\nsetaria italica\nfoxtail_millet\nkolbenhirse\nmoha\nmillet des oiseaux','\n',char(10)));
INSERT INTO crops VALUES(9,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','maize_grain','Maize (grain)','Zea mays','1','1.02','0112','3301010600','annual','Poaceae',0,0,0,0,'maize','["Soy_Corn"]','{"de":"Körnermais","es":"maíz para grano","fr":"maïs grain","pt":"milho para grão"}',1,replace('maize (grain)\nzea mays\nmaize_grain\nkörnermais\nmaíz para grano\nmaïs grain\nmilho para grão','\n',char(10)));
INSERT INTO crops VALUES(10,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','maize_silage','Maize (silage)','Zea mays','1','1.02','01911','3301090400','annual','Poaceae',0,0,0,0,'maize','null','{"de":"Silomais","es":"maíz para ensilaje","fr":"maïs ensilage","pt":"milho para silagem"}',1,replace('maize (silage)\nzea mays\nmaize_silage\nsilomais\nmaíz para ensilaje\nmaïs ensilage\nmilho para silagem','\n',char(10)));
INSERT INTO crops VALUES(11,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','mixed_cereals','Mixed cereals','','1','1.14','01199','3301011100','annual','Poaceae',0,0,0,0,'grains','null','{"de":"Getreidegemenge","es":"mezcla de cereales","fr":"mélange de céréales","pt":"mistura de cereais"}',1,replace('mixed cereals\n\nmixed_cereals\ngetreidegemenge\nmezcla de cereales\nmélange de céréales\nmistura de cereais','\n',char(10)));
INSERT INTO crops VALUES(12,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','oats','Oats','Avena sativa','1','1.07','0117','3301010500','annual','Poaceae',0,0,0,0,'oats','null','{"de":"Hafer","es":"avena","fr":"avoine","pt":"aveia"}',1,replace('oats\navena sativa\noats\nhafer\navena\navoine\naveia','\n',char(10)));
INSERT INTO crops VALUES(13,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','pearl_millet','Pearl millet','Cenchrus americanus','1','1.08','0118','3301010900','annual','Poaceae',0,0,0,0,'millet','["Soy_Millet"]','{"de":"Perlhirse","es":"mijo perla","fr":"mil à chandelle","pt":"milheto"}',1,replace('pearl millet\ncenchrus americanus\npearl_millet\nperlhirse\nmijo perla\nmil à chandelle\nmilheto','\n',char(10)));
INSERT INTO crops VALUES(14,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','popcorn','Popcorn','Zea mays','1','1.02','0112','3301010600','annual','Poaceae',0,0,0,0,'maize','null','{"de":"Puffmais","es":"maíz palomero","fr":"maïs à éclater","pt":"milho-pipoca"}',1,replace('popcorn\nzea mays\npopcorn\npuffmais\nmaíz palomero\nmaïs à éclater\nmilho-pipoca','\n',char(10)));
INSERT INTO crops VALUES(15,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','proso_millet','Proso millet','Panicum miliaceum','1','1.08','0118','3301010900','annual','Poaceae',0,0,0,0,'millet','null','{"de":"Rispenhirse","es":"mijo común","fr":"millet commun","pt":"painço"}',1,replace('proso millet\npanicum miliaceum\nproso_millet\nrispenhirse\nmijo común\nmillet commun\npainço','\n',char(10)));
INSERT INTO crops VALUES(16,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','quinoa','Quinoa','Chenopodium quinoa','1','1.12','01194','3301150300','annual','Amaranthaceae',0,0,0,0,'grains','null','{"de":"Quinoa","es":"quinoa","fr":"quinoa","pt":"quinoa"}',1,replace('quinoa\nchenopodium quinoa\nquinoa\nquinoa\nquinoa\nquinoa\nquinoa','\n',char(10)));
INSERT INTO crops VALUES(17,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','rice_paddy','Rice (paddy)','Oryza sativa','1','1.03','0113','3301010700','annual','Poaceae',0,1,0,0,'rice_paddy','null','{"de":"Nassreis","es":"arroz irrigado","fr":"riz irrigué","pt":"arroz irrigado"}',1,replace('rice (paddy)\noryza sativa\nrice_paddy\nnassreis\narroz irrigado\nriz irrigué\narroz irrigado','\n',char(10)));
INSERT INTO crops VALUES(18,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','rice_upland','Rice (upland)','Oryza sativa','1','1.03','0113','3301010700','annual','Poaceae',0,0,0,0,'rice','null','{"de":"Trockenreis","es":"arroz de secano","fr":"riz pluvial","pt":"arroz de sequeiro"}',1,replace('rice (upland)\noryza sativa\nrice_upland\ntrockenreis\narroz de secano\nriz pluvial\narroz de sequeiro','\n',char(10)));
INSERT INTO crops VALUES(19,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','sorghum','Sorghum','Sorghum bicolor','1','1.04','0114','3301010900','annual','Poaceae',0,0,0,0,'sorghum','null','{"de":"Sorghum","es":"sorgo","fr":"sorgho","pt":"sorgo"}',1,replace('sorghum\nsorghum bicolor\nsorghum\nsorghum\nsorgo\nsorgho\nsorgo','\n',char(10)));
INSERT INTO crops VALUES(20,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','spelt','Spelt','Triticum aestivum subsp. spelta','1','1.01','0111','3301011000','annual','Poaceae',0,0,0,0,'grains','null','{"de":"Dinkel","es":"espelta","fr":"épeautre","pt":"espelta"}',1,replace('spelt\ntriticum aestivum subsp. spelta\nspelt\ndinkel\nespelta\népeautre\nespelta','\n',char(10)));
INSERT INTO crops VALUES(21,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','spring_barley','Spring barley','Hordeum vulgare','1','1.05','0115','3301010402','annual','Poaceae',0,0,0,0,'barley','null','{"de":"Sommergerste","es":"cebada de primavera","fr":"orge de printemps","pt":"cevada de primavera"}',1,replace('spring barley\nhordeum vulgare\nspring_barley\nsommergerste\ncebada de primavera\norge de printemps\ncevada de primavera','\n',char(10)));
INSERT INTO crops VALUES(22,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','spring_rye','Spring rye','Secale cereale','1','1.06','0116','3301010302','annual','Poaceae',0,0,0,0,'rye','null','{"de":"Sommerroggen","es":"centeno de primavera","fr":"seigle de printemps","pt":"centeio de primavera"}',1,replace('spring rye\nsecale cereale\nspring_rye\nsommerroggen\ncenteno de primavera\nseigle de printemps\ncenteio de primavera','\n',char(10)));
INSERT INTO crops VALUES(23,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','spring_wheat','Spring wheat','Triticum aestivum','1','1.01','0111','3301010102','annual','Poaceae',0,0,0,0,'spring_wheat','null','{"de":"Sommerweizen","es":"trigo de primavera","fr":"blé de printemps","pt":"trigo de primavera"}',1,replace('spring wheat\ntriticum aestivum\nspring_wheat\nsommerweizen\ntrigo de primavera\nblé de printemps\ntrigo de primavera','\n',char(10)));
INSERT INTO crops VALUES(24,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','sweet_corn','Sweet corn','Zea mays','1','1.02','01290','3301010600','annual','Poaceae',0,0,0,0,'vegetables_generic','null','{"de":"Zuckermais","es":"maíz dulce","fr":"maïs doux","pt":"milho doce"}',1,replace('sweet corn\nzea mays\nsweet_corn\nzuckermais\nmaíz dulce\nmaïs doux\nmilho doce','\n',char(10)));
INSERT INTO crops VALUES(25,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','teff','Teff','Eragrostis tef','1','1.90','01199','3301010904','annual','Poaceae',0,0,0,0,'grains','null','{"de":"Teff","es":"teff","fr":"teff","pt":"teff"}',1,replace('teff\neragrostis tef\nteff\nteff\nteff\nteff\nteff','\n',char(10)));
INSERT INTO crops VALUES(26,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','triticale','Triticale','× Triticosecale','1','1.09','01191','3301010800','annual','Poaceae',0,0,0,0,'grains','null','{"de":"Triticale","es":"triticale","fr":"triticale","pt":"triticale"}',1,replace('triticale\n× triticosecale\ntriticale\ntriticale\ntriticale\ntriticale\ntriticale','\n',char(10)));
INSERT INTO crops VALUES(27,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','winter_barley','Winter barley','Hordeum vulgare','1','1.05','0115','3301010401','annual','Poaceae',0,0,0,0,'barley','null','{"de":"Wintergerste","es":"cebada de invierno","fr":"orge d''hiver","pt":"cevada de inverno"}',1,replace('winter barley\nhordeum vulgare\nwinter_barley\nwintergerste\ncebada de invierno\norge d''hiver\ncevada de inverno','\n',char(10)));
INSERT INTO crops VALUES(28,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','winter_rye','Winter rye','Secale cereale','1','1.06','0116','3301010301','annual','Poaceae',0,0,0,0,'rye','null','{"de":"Winterroggen","es":"centeno de invierno","fr":"seigle d''hiver","pt":"centeio de inverno"}',1,replace('winter rye\nsecale cereale\nwinter_rye\nwinterroggen\ncenteno de invierno\nseigle d''hiver\ncenteio de inverno','\n',char(10)));
INSERT INTO crops VALUES(29,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','winter_wheat','Winter wheat','Triticum aestivum','1','1.01','0111','3301010101','annual','Poaceae',0,0,0,0,'winter_wheat','null','{"de":"Winterweizen","es":"trigo de invierno","fr":"blé d''hiver","pt":"trigo de inverno"}',1,replace('winter wheat\ntriticum aestivum\nwinter_wheat\nwinterweizen\ntrigo de invierno\nblé d''hiver\ntrigo de inverno','\n',char(10)));
INSERT INTO crops VALUES(30,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','artichoke','Artichoke','Cynara cardunculus var. scolymus','2','2.01.01','01216','3301270000','perennial','Asteraceae',0,0,0,0,'vegetables_generic','null','{"de":"Artischocke","es":"alcachofa","fr":"artichaut","pt":"alcachofra"}',1,replace('artichoke\ncynara cardunculus var. scolymus\nartichoke\nartischocke\nalcachofa\nartichaut\nalcachofra','\n',char(10)));
INSERT INTO crops VALUES(31,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','asparagus','Asparagus','Asparagus officinalis','2','2.01.02','01211','3301200000','perennial','Asparagaceae',0,0,0,0,'vegetables_generic','null','{"de":"Spargel","es":"espárrago","fr":"asperge","pt":"aspargo"}',1,replace('asparagus\nasparagus officinalis\nasparagus\nspargel\nespárrago\nasperge\naspargo','\n',char(10)));
INSERT INTO crops VALUES(32,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','beetroot','Beetroot','Beta vulgaris subsp. vulgaris','2','','','3301290200','annual','Amaranthaceae',0,0,0,0,'vegetables_generic','null','{"de":"Rote Bete","es":"remolacha de mesa","fr":"betterave rouge","pt":"beterraba"}',1,replace('beetroot\nbeta vulgaris subsp. vulgaris\nbeetroot\nrote bete\nremolacha de mesa\nbetterave rouge\nbeterraba','\n',char(10)));
INSERT INTO crops VALUES(33,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','broccoli','Broccoli','Brassica oleracea var. italica','2','2.01.04','01213','3301210202','annual','Brassicaceae',0,0,0,0,'vegetables_generic','null','{"de":"Brokkoli","es":"brócoli","fr":"brocoli","pt":"brócolis"}',1,replace('broccoli\nbrassica oleracea var. italica\nbroccoli\nbrokkoli\nbrócoli\nbrocoli\nbrócolis','\n',char(10)));
INSERT INTO crops VALUES(34,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','brussels_sprout','Brussels sprout','Brassica oleracea var. gemmifera','2','2.01.90','01212','3301210203','annual','Brassicaceae',0,0,0,0,'vegetables_generic','null','{"de":"Rosenkohl","es":"col de Bruselas","fr":"chou de Bruxelles","pt":"couve-de-bruxelas"}',1,replace('brussels sprout\nbrassica oleracea var. gemmifera\nbrussels_sprout\nrosenkohl\ncol de bruselas\nchou de bruxelles\ncouve-de-bruxelas','\n',char(10)));
INSERT INTO crops VALUES(35,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','cabbage','Cabbage','Brassica oleracea var. capitata','2','2.01.03','01212','3301210200','annual','Brassicaceae',0,0,0,0,'vegetables_generic','null','{"de":"Kopfkohl","es":"repollo","fr":"chou pommé","pt":"repolho"}',1,replace('cabbage\nbrassica oleracea var. capitata\ncabbage\nkopfkohl\nrepollo\nchou pommé\nrepolho','\n',char(10)));
INSERT INTO crops VALUES(36,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','carrot','Carrot','Daucus carota subsp. sativus','2','2.03.01','01251','3301290300','annual','Apiaceae',0,0,0,0,'vegetables_generic','null','{"de":"Möhre","es":"zanahoria","fr":"carotte","pt":"cenoura"}',1,replace('carrot\ndaucus carota subsp. sativus\ncarrot\nmöhre\nzanahoria\ncarotte\ncenoura','\n',char(10)));
INSERT INTO crops VALUES(37,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','cauliflower','Cauliflower','Brassica oleracea var. botrytis','2','2.01.04','01213','3301210204','annual','Brassicaceae',0,0,0,0,'vegetables_generic','null','{"de":"Blumenkohl","es":"coliflor","fr":"chou-fleur","pt":"couve-flor"}',1,replace('cauliflower\nbrassica oleracea var. botrytis\ncauliflower\nblumenkohl\ncoliflor\nchou-fleur\ncouve-flor','\n',char(10)));
INSERT INTO crops VALUES(38,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','celeriac','Celeriac','Apium graveolens var. rapaceum','2','2.03.90','01259','3301250100','annual','Apiaceae',0,0,0,0,'vegetables_generic','null','{"de":"Knollensellerie","es":"apionabo","fr":"céleri-rave","pt":"aipo-rábano"}',1,replace('celeriac\napium graveolens var. rapaceum\nceleriac\nknollensellerie\napionabo\ncéleri-rave\naipo-rábano','\n',char(10)));
INSERT INTO crops VALUES(39,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','celery','Celery','Apium graveolens var. dulce','2','2.01.90','01290','3301250000','annual','Apiaceae',0,0,0,0,'vegetables_generic','null','{"de":"Staudensellerie","es":"apio","fr":"céleri-branche","pt":"aipo"}',1,replace('celery\napium graveolens var. dulce\ncelery\nstaudensellerie\napio\ncéleri-branche\naipo','\n',char(10)));
INSERT INTO crops VALUES(40,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','chicory','Chicory','Cichorium intybus','2','2.01.07','01214','3301310200','annual','Asteraceae',0,0,0,0,'vegetables_generic','null','{"de":"Zichorie","es":"achicoria","fr":"chicorée","pt":"chicória"}',1,replace('chicory\ncichorium intybus\nchicory\nzichorie\nachicoria\nchicorée\nchicória','\n',char(10)));
INSERT INTO crops VALUES(41,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','chinese_cabbage','Chinese cabbage','Brassica rapa subsp. pekinensis','2','2.01.03','01212','3301210205','annual','Brassicaceae',0,0,0,0,'vegetables_generic','null','{"de":"Chinakohl","es":"col china","fr":"chou chinois","pt":"couve-chinesa"}',1,replace('chinese cabbage\nbrassica rapa subsp. pekinensis\nchinese_cabbage\nchinakohl\ncol china\nchou chinois\ncouve-chinesa','\n',char(10)));
INSERT INTO crops VALUES(42,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','cucumber','Cucumber','Cucumis sativus','2','2.02.01','01232','3301140100','annual','Cucurbitaceae',0,0,0,0,'vegetables_generic','null','{"de":"Gurke","es":"pepino","fr":"concombre","pt":"pepino"}',1,replace('cucumber\ncucumis sativus\ncucumber\ngurke\npepino\nconcombre\npepino','\n',char(10)));
INSERT INTO crops VALUES(43,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','eggplant','Eggplant','Solanum melongena','2','2.02.02','01233','3301260000','annual','Solanaceae',0,0,0,0,'vegetables_generic','null','{"de":"Aubergine","es":"berenjena","fr":"aubergine","pt":"berinjela"}',1,replace('eggplant\nsolanum melongena\neggplant\naubergine\nberenjena\naubergine\nberinjela','\n',char(10)));
INSERT INTO crops VALUES(44,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','endive','Endive','Cichorium endivia','2','2.01.90','01214','3301310300','annual','Asteraceae',0,0,0,0,'vegetables_generic','null','{"de":"Endivie","es":"escarola","fr":"chicorée scarole","pt":"escarola"}',1,replace('endive\ncichorium endivia\nendive\nendivie\nescarola\nchicorée scarole\nescarola','\n',char(10)));
INSERT INTO crops VALUES(45,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','garlic','Garlic','Allium sativum','2','2.03.03','01252','3301220200','annual','Amaryllidaceae',0,0,0,0,'vegetables_generic','null','{"de":"Knoblauch","es":"ajo","fr":"ail","pt":"alho"}',1,replace('garlic\nallium sativum\ngarlic\nknoblauch\najo\nail\nalho','\n',char(10)));
INSERT INTO crops VALUES(46,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','kale','Kale','Brassica oleracea var. acephala','2','2.01.90','01212','3301210208','annual','Brassicaceae',0,0,0,0,'vegetables_generic','null','{"de":"Grünkohl","es":"col rizada","fr":"chou frisé","pt":"couve"}',1,replace('kale\nbrassica oleracea var. acephala\nkale\ngrünkohl\ncol rizada\nchou frisé\ncouve','\n',char(10)));
INSERT INTO crops VALUES(47,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','kohlrabi','Kohlrabi','Brassica oleracea var. gongylodes','2','2.03.90','01212','3301210209','annual','Brassicaceae',0,0,0,0,'vegetables_generic','null','{"de":"Kohlrabi","es":"colirrábano","fr":"chou-rave","pt":"couve-rábano"}',1,replace('kohlrabi\nbrassica oleracea var. gongylodes\nkohlrabi\nkohlrabi\ncolirrábano\nchou-rave\ncouve-rábano','\n',char(10)));
INSERT INTO crops VALUES(48,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','leek','Leek','Allium ampeloprasum','2','2.03.05','01254','3301220300','annual','Amaryllidaceae',0,0,0,0,'vegetables_generic','null','{"de":"Porree","es":"puerro","fr":"poireau","pt":"alho-poró"}',1,replace('leek\nallium ampeloprasum\nleek\nporree\npuerro\npoireau\nalho-poró','\n',char(10)));
INSERT INTO crops VALUES(49,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','lettuce','Lettuce','Lactuca sativa','2','2.01.05','01214','3301310000','annual','Asteraceae',0,0,0,0,'vegetables_generic','null','{"de":"Salat","es":"lechuga","fr":"laitue","pt":"alface"}',1,replace('lettuce\nlactuca sativa\nlettuce\nsalat\nlechuga\nlaitue\nalface','\n',char(10)));
INSERT INTO crops VALUES(50,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','melon','Melon','Cucumis melo','2','2.05.02','01229','3301140300','annual','Cucurbitaceae',0,0,0,0,'vegetables_generic','null','{"de":"Melone","es":"melón","fr":"melon","pt":"melão"}',1,replace('melon\ncucumis melo\nmelon\nmelone\nmelón\nmelon\nmelão','\n',char(10)));
INSERT INTO crops VALUES(51,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','mushroom','Mushroom','Agaricus spp.','2','2.04','01270','','annual','Agaricaceae',0,0,0,0,'vegetables_generic','null','{"de":"Speisepilz","es":"champiñón","fr":"champignon","pt":"cogumelo"}',1,replace('mushroom\nagaricus spp.\nmushroom\nspeisepilz\nchampiñón\nchampignon\ncogumelo','\n',char(10)));
INSERT INTO crops VALUES(52,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','okra','Okra','Abelmoschus esculentus','2','2.02.05','01239','','annual','Malvaceae',0,0,0,0,'vegetables_generic','null','{"de":"Okra","es":"okra","fr":"gombo","pt":"quiabo"}',1,replace('okra\nabelmoschus esculentus\nokra\nokra\nokra\ngombo\nquiabo','\n',char(10)));
INSERT INTO crops VALUES(53,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','onion','Onion','Allium cepa','2','2.03.04','01253','3301220400','annual','Amaryllidaceae',0,0,0,0,'vegetables_generic','null','{"de":"Zwiebel","es":"cebolla","fr":"oignon","pt":"cebola"}',1,replace('onion\nallium cepa\nonion\nzwiebel\ncebolla\noignon\ncebola','\n',char(10)));
INSERT INTO crops VALUES(54,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','parsnip','Parsnip','Pastinaca sativa','2','2.03.90','01259','3301290500','annual','Apiaceae',0,0,0,0,'vegetables_generic','null','{"de":"Pastinake","es":"chirivía","fr":"panais","pt":"pastinaca"}',1,replace('parsnip\npastinaca sativa\nparsnip\npastinake\nchirivía\npanais\npastinaca','\n',char(10)));
INSERT INTO crops VALUES(55,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','pumpkin_and_squash','Pumpkin and squash','Cucurbita spp.','2','2.02.04','01235','3301140400','annual','Cucurbitaceae',0,0,0,0,'vegetables_generic','null','{"de":"Kürbis","es":"calabaza","fr":"courge","pt":"abóbora"}',1,replace('pumpkin and squash\ncucurbita spp.\npumpkin_and_squash\nkürbis\ncalabaza\ncourge\nabóbora','\n',char(10)));
INSERT INTO crops VALUES(56,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','radish','Radish','Raphanus sativus','2','2.03.90','01259','3301290600','annual','Brassicaceae',0,0,0,0,'vegetables_generic','null','{"de":"Radieschen","es":"rábano","fr":"radis","pt":"rabanete"}',1,replace('radish\nraphanus sativus\nradish\nradieschen\nrábano\nradis\nrabanete','\n',char(10)));
INSERT INTO crops VALUES(57,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','rhubarb','Rhubarb','Rheum rhabarbarum','2','2.01.90','01219','3301230000','perennial','Polygonaceae',0,0,0,0,'vegetables_generic','null','{"de":"Rhabarber","es":"ruibarbo","fr":"rhubarbe","pt":"ruibarbo"}',1,replace('rhubarb\nrheum rhabarbarum\nrhubarb\nrhabarber\nruibarbo\nrhubarbe\nruibarbo','\n',char(10)));
INSERT INTO crops VALUES(58,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','shallot','Shallot','Allium cepa var. aggregatum','2','2.03.04','01253','3301220600','annual','Amaryllidaceae',0,0,0,0,'vegetables_generic','null','{"de":"Schalotte","es":"chalota","fr":"échalote","pt":"chalota"}',1,replace('shallot\nallium cepa var. aggregatum\nshallot\nschalotte\nchalota\néchalote\nchalota','\n',char(10)));
INSERT INTO crops VALUES(59,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','spinach','Spinach','Spinacia oleracea','2','2.01.06','01215','3301310800','annual','Amaranthaceae',0,0,0,0,'vegetables_generic','null','{"de":"Spinat","es":"espinaca","fr":"épinard","pt":"espinafre"}',1,replace('spinach\nspinacia oleracea\nspinach\nspinat\nespinaca\népinard\nespinafre','\n',char(10)));
INSERT INTO crops VALUES(60,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','swede','Swede','Brassica napus subsp. rapifera','2','2.03.90','01919','3301210500','annual','Brassicaceae',0,0,0,0,'vegetables_generic','null','{"de":"Steckrübe","es":"rutabaga","fr":"rutabaga","pt":"rutabaga"}',1,replace('swede\nbrassica napus subsp. rapifera\nswede\nsteckrübe\nrutabaga\nrutabaga\nrutabaga','\n',char(10)));
INSERT INTO crops VALUES(61,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','tomato','Tomato','Solanum lycopersicum','2','2.02.03','01234','3301280000','annual','Solanaceae',0,0,0,0,'vegetables_generic','null','{"de":"Tomate","es":"tomate","fr":"tomate","pt":"tomate"}',1,replace('tomato\nsolanum lycopersicum\ntomato\ntomate\ntomate\ntomate\ntomate','\n',char(10)));
INSERT INTO crops VALUES(62,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','turnip','Turnip','Brassica rapa subsp. rapa','2','2.03.02','01251','3301290800','annual','Brassicaceae',0,0,0,0,'vegetables_generic','null','{"de":"Speiserübe","es":"nabo","fr":"navet","pt":"nabo"}',1,replace('turnip\nbrassica rapa subsp. rapa\nturnip\nspeiserübe\nnabo\nnavet\nnabo','\n',char(10)));
INSERT INTO crops VALUES(63,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','watermelon','Watermelon','Citrullus lanatus','2','2.05.01','01221','3301140500','annual','Cucurbitaceae',0,0,0,0,'vegetables_generic','null','{"de":"Wassermelone","es":"sandía","fr":"pastèque","pt":"melancia"}',1,replace('watermelon\ncitrullus lanatus\nwatermelon\nwassermelone\nsandía\npastèque\nmelancia','\n',char(10)));
INSERT INTO crops VALUES(64,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','zucchini','Zucchini','Cucurbita pepo','2','2.02.04','01235','3301140600','annual','Cucurbitaceae',0,0,0,0,'vegetables_generic','null','{"de":"Zucchini","es":"calabacín","fr":"courgette","pt":"abobrinha"}',1,replace('zucchini\ncucurbita pepo\nzucchini\nzucchini\ncalabacín\ncourgette\nabobrinha','\n',char(10)));
INSERT INTO crops VALUES(65,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','almond','Almond','Prunus dulcis','3','3.06.01','01371','3303030100','perennial','Rosaceae',0,0,0,0,'nuts','null','{"de":"Mandel","es":"almendra","fr":"amande","pt":"amêndoa"}',1,replace('almond\nprunus dulcis\nalmond\nmandel\nalmendra\namande\namêndoa','\n',char(10)));
INSERT INTO crops VALUES(66,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','apple','Apple','Malus domestica','3','3.05.01','01341','3303010200','perennial','Rosaceae',0,0,0,0,'orchard_fruit','null','{"de":"Apfel","es":"manzana","fr":"pomme","pt":"maçã"}',1,replace('apple\nmalus domestica\napple\napfel\nmanzana\npomme\nmaçã','\n',char(10)));
INSERT INTO crops VALUES(67,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','apricot','Apricot','Prunus armeniaca','3','3.05.02','01343','3303010300','perennial','Rosaceae',0,0,0,0,'orchard_fruit','null','{"de":"Aprikose","es":"albaricoque","fr":"abricot","pt":"damasco"}',1,replace('apricot\nprunus armeniaca\napricot\naprikose\nalbaricoque\nabricot\ndamasco','\n',char(10)));
INSERT INTO crops VALUES(68,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','avocado','Avocado','Persea americana','3','3.01.01','01311','3303100000','perennial','Lauraceae',0,0,0,0,'orchard_fruit','null','{"de":"Avocado","es":"aguacate","fr":"avocat","pt":"abacate"}',1,replace('avocado\npersea americana\navocado\navocado\naguacate\navocat\nabacate','\n',char(10)));
INSERT INTO crops VALUES(69,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','banana','Banana','Musa spp.','3','3.01.02','01312','','perennial','Musaceae',0,0,0,0,'banana','null','{"de":"Banane","es":"banana","fr":"banane","pt":"banana"}',1,replace('banana\nmusa spp.\nbanana\nbanane\nbanana\nbanane\nbanana','\n',char(10)));
INSERT INTO crops VALUES(70,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','blackberry','Blackberry','Rubus spp.','3','3.04.90','01353','3303020200','perennial','Rosaceae',0,0,0,0,'orchard_fruit','null','{"de":"Brombeere","es":"zarzamora","fr":"mûre","pt":"amora-preta"}',1,replace('blackberry\nrubus spp.\nblackberry\nbrombeere\nzarzamora\nmûre\namora-preta','\n',char(10)));
INSERT INTO crops VALUES(71,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','blackcurrant','Blackcurrant','Ribes nigrum','3','3.04.01','01351','3303020300','perennial','Grossulariaceae',0,0,0,0,'orchard_fruit','null','{"de":"Schwarze Johannisbeere","es":"grosella negra","fr":"cassis","pt":"groselha-negra"}',1,replace('blackcurrant\nribes nigrum\nblackcurrant\nschwarze johannisbeere\ngrosella negra\ncassis\ngroselha-negra','\n',char(10)));
INSERT INTO crops VALUES(72,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','blueberry','Blueberry','Vaccinium corymbosum','3','3.04.06','01355','3303020400','perennial','Ericaceae',0,0,0,0,'orchard_fruit','null','{"de":"Heidelbeere","es":"arándano","fr":"myrtille","pt":"mirtilo"}',1,replace('blueberry\nvaccinium corymbosum\nblueberry\nheidelbeere\narándano\nmyrtille\nmirtilo','\n',char(10)));
INSERT INTO crops VALUES(73,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','brazil_nut','Brazil nut','Bertholletia excelsa','3','3.06.07','01377','','perennial','Lecythidaceae',0,0,0,0,'nuts','null','{"de":"Paranuss","es":"nuez de Brasil","fr":"noix du Brésil","pt":"castanha-do-pará"}',1,replace('brazil nut\nbertholletia excelsa\nbrazil_nut\nparanuss\nnuez de brasil\nnoix du brésil\ncastanha-do-pará','\n',char(10)));
INSERT INTO crops VALUES(74,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','cashew','Cashew','Anacardium occidentale','3','3.06.02','01372','','perennial','Anacardiaceae',0,0,0,0,'nuts','null','{"de":"Cashew","es":"anacardo","fr":"noix de cajou","pt":"caju"}',1,replace('cashew\nanacardium occidentale\ncashew\ncashew\nanacardo\nnoix de cajou\ncaju','\n',char(10)));
INSERT INTO crops VALUES(75,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','cherry','Cherry','Prunus avium','3','3.05.03','01344','3303010400','perennial','Rosaceae',0,0,0,0,'orchard_fruit','null','{"de":"Kirsche","es":"cereza","fr":"cerise","pt":"cereja"}',1,replace('cherry\nprunus avium\ncherry\nkirsche\ncereza\ncerise\ncereja','\n',char(10)));
INSERT INTO crops VALUES(76,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','chestnut','Chestnut','Castanea sativa','3','3.06.03','01373','3303030500','perennial','Fagaceae',0,0,0,0,'nuts','null','{"de":"Esskastanie","es":"castaña","fr":"châtaigne","pt":"castanha"}',1,replace('chestnut\ncastanea sativa\nchestnut\nesskastanie\ncastaña\nchâtaigne\ncastanha','\n',char(10)));
INSERT INTO crops VALUES(77,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','cranberry','Cranberry','Vaccinium macrocarpon','3','3.04.07','01355','3303020500','perennial','Ericaceae',0,0,0,0,'orchard_fruit','null','{"de":"Cranberry","es":"arándano rojo","fr":"canneberge","pt":"oxicoco"}',1,replace('cranberry\nvaccinium macrocarpon\ncranberry\ncranberry\narándano rojo\ncanneberge\noxicoco','\n',char(10)));
INSERT INTO crops VALUES(78,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','date','Date','Phoenix dactylifera','3','3.01.04','01314','','perennial','Arecaceae',0,0,0,0,'orchard_fruit','null','{"de":"Dattel","es":"dátil","fr":"datte","pt":"tâmara"}',1,replace('date\nphoenix dactylifera\ndate\ndattel\ndátil\ndatte\ntâmara','\n',char(10)));
INSERT INTO crops VALUES(79,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','fig','Fig','Ficus carica','3','3.01.05','01315','3303010600','perennial','Moraceae',0,0,0,0,'orchard_fruit','null','{"de":"Feige","es":"higo","fr":"figue","pt":"figo"}',1,replace('fig\nficus carica\nfig\nfeige\nhigo\nfigue\nfigo','\n',char(10)));
INSERT INTO crops VALUES(80,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','gooseberry','Gooseberry','Ribes uva-crispa','3','3.04.02','01351','3303020700','perennial','Grossulariaceae',0,0,0,0,'orchard_fruit','null','{"de":"Stachelbeere","es":"grosella espinosa","fr":"groseille à maquereau"}',1,replace('gooseberry\nribes uva-crispa\ngooseberry\nstachelbeere\ngrosella espinosa\ngroseille à maquereau','\n',char(10)));
INSERT INTO crops VALUES(81,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','grape_table','Grape (table)','Vitis vinifera','3','3.03','01330','3303060000','perennial','Vitaceae',0,0,0,0,'grapes','null','{"de":"Tafeltraube","es":"uva de mesa","fr":"raisin de table","pt":"uva de mesa"}',1,replace('grape (table)\nvitis vinifera\ngrape_table\ntafeltraube\nuva de mesa\nraisin de table\nuva de mesa','\n',char(10)));
INSERT INTO crops VALUES(82,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','grape_wine','Grape (wine)','Vitis vinifera','3','3.03','01330','3303060000','perennial','Vitaceae',0,0,0,0,'grapes','null','{"de":"Keltertraube","es":"uva de vinificación","fr":"raisin de cuve","pt":"uva para vinho"}',1,replace('grape (wine)\nvitis vinifera\ngrape_wine\nkeltertraube\nuva de vinificación\nraisin de cuve\nuva para vinho','\n',char(10)));
INSERT INTO crops VALUES(83,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','grapefruit','Grapefruit','Citrus × paradisi','3','3.02.01','01321','3303040000','perennial','Rutaceae',0,0,0,0,'orchard_fruit','null','{"de":"Grapefruit","es":"pomelo","fr":"pamplemousse","pt":"toranja"}',1,replace('grapefruit\ncitrus × paradisi\ngrapefruit\ngrapefruit\npomelo\npamplemousse\ntoranja','\n',char(10)));
INSERT INTO crops VALUES(84,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','guava','Guava','Psidium guajava','3','3.01.06','01316','','perennial','Myrtaceae',0,0,0,0,'orchard_fruit','null','{"de":"Guave","es":"guayaba","fr":"goyave","pt":"goiaba"}',1,replace('guava\npsidium guajava\nguava\nguave\nguayaba\ngoyave\ngoiaba','\n',char(10)));
INSERT INTO crops VALUES(85,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','hazelnut','Hazelnut','Corylus avellana','3','3.06.04','01374','3303030200','perennial','Betulaceae',0,0,0,0,'nuts','null','{"de":"Haselnuss","es":"avellana","fr":"noisette","pt":"avelã"}',1,replace('hazelnut\ncorylus avellana\nhazelnut\nhaselnuss\navellana\nnoisette\navelã','\n',char(10)));
INSERT INTO crops VALUES(86,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','kiwi_fruit','Kiwi fruit','Actinidia deliciosa','3','3.04.03','01352','3303010700','perennial','Actinidiaceae',0,0,0,0,'orchard_fruit','null','{"de":"Kiwi","es":"kiwi","fr":"kiwi","pt":"kiwi"}',1,replace('kiwi fruit\nactinidia deliciosa\nkiwi_fruit\nkiwi\nkiwi\nkiwi\nkiwi','\n',char(10)));
INSERT INTO crops VALUES(87,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','lemon','Lemon','Citrus × limon','3','3.02.02','01322','3303040000','perennial','Rutaceae',0,0,0,0,'orchard_fruit','null','{"de":"Zitrone","es":"limón","fr":"citron","pt":"limão"}',1,replace('lemon\ncitrus × limon\nlemon\nzitrone\nlimón\ncitron\nlimão','\n',char(10)));
INSERT INTO crops VALUES(88,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','lime','Lime','Citrus × aurantiifolia','3','3.02.02','01322','3303040000','perennial','Rutaceae',0,0,0,0,'orchard_fruit','null','{"de":"Limette","es":"lima","fr":"citron vert"}',1,replace('lime\ncitrus × aurantiifolia\nlime\nlimette\nlima\ncitron vert','\n',char(10)));
INSERT INTO crops VALUES(89,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','lychee','Lychee','Litchi chinensis','3','3.01.90','01319','','perennial','Sapindaceae',0,0,0,0,'orchard_fruit','null','{"de":"Litschi","es":"lichi","fr":"litchi","pt":"lichia"}',1,replace('lychee\nlitchi chinensis\nlychee\nlitschi\nlichi\nlitchi\nlichia','\n',char(10)));
INSERT INTO crops VALUES(90,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','macadamia','Macadamia','Macadamia integrifolia','3','3.06.90','01379','','perennial','Proteaceae',0,0,0,0,'nuts','null','{"de":"Macadamia","es":"nuez de macadamia","fr":"noix de macadamia","pt":"macadâmia"}',1,replace('macadamia\nmacadamia integrifolia\nmacadamia\nmacadamia\nnuez de macadamia\nnoix de macadamia\nmacadâmia','\n',char(10)));
INSERT INTO crops VALUES(91,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','mandarin','Mandarin','Citrus reticulata','3','3.02.04','01324','3303040000','perennial','Rutaceae',0,0,0,0,'orchard_fruit','null','{"de":"Mandarine","es":"mandarina","fr":"mandarine","pt":"tangerina"}',1,replace('mandarin\ncitrus reticulata\nmandarin\nmandarine\nmandarina\nmandarine\ntangerina','\n',char(10)));
INSERT INTO crops VALUES(92,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','mango','Mango','Mangifera indica','3','3.01.06','01316','','perennial','Anacardiaceae',0,0,0,0,'orchard_fruit','null','{"de":"Mango","es":"mango","fr":"mangue","pt":"manga"}',1,replace('mango\nmangifera indica\nmango\nmango\nmango\nmangue\nmanga','\n',char(10)));
INSERT INTO crops VALUES(93,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','nectarine','Nectarine','Prunus persica var. nucipersica','3','3.05.04','01345','3303010900','perennial','Rosaceae',0,0,0,0,'orchard_fruit','null','{"de":"Nektarine","es":"nectarina","fr":"nectarine","pt":"nectarina"}',1,replace('nectarine\nprunus persica var. nucipersica\nnectarine\nnektarine\nnectarina\nnectarine\nnectarina','\n',char(10)));
INSERT INTO crops VALUES(94,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','orange','Orange','Citrus × sinensis','3','3.02.03','01323','3303040000','perennial','Rutaceae',0,0,0,0,'orchard_fruit','null','{"de":"Orange","es":"naranja","fr":"orange","pt":"laranja"}',1,replace('orange\ncitrus × sinensis\norange\norange\nnaranja\norange\nlaranja','\n',char(10)));
INSERT INTO crops VALUES(95,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','papaya','Papaya','Carica papaya','3','3.01.07','01317','','perennial','Caricaceae',0,0,0,0,'orchard_fruit','null','{"de":"Papaya","es":"papaya","fr":"papaye","pt":"mamão"}',1,replace('papaya\ncarica papaya\npapaya\npapaya\npapaya\npapaye\nmamão','\n',char(10)));
INSERT INTO crops VALUES(96,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','peach','Peach','Prunus persica','3','3.05.04','01345','3303011100','perennial','Rosaceae',0,0,0,0,'orchard_fruit','null','{"de":"Pfirsich","es":"melocotón","fr":"pêche","pt":"pêssego"}',1,replace('peach\nprunus persica\npeach\npfirsich\nmelocotón\npêche\npêssego','\n',char(10)));
INSERT INTO crops VALUES(97,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','pear','Pear','Pyrus communis','3','3.05.05','01342','3303011200','perennial','Rosaceae',0,0,0,0,'orchard_fruit','null','{"de":"Birne","es":"pera","fr":"poire","pt":"pera"}',1,replace('pear\npyrus communis\npear\nbirne\npera\npoire\npera','\n',char(10)));
INSERT INTO crops VALUES(98,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','pecan','Pecan','Carya illinoinensis','3','3.06.90','01379','3303030300','perennial','Juglandaceae',0,0,0,0,'nuts','null','{"de":"Pekannuss","es":"nuez pecana","fr":"noix de pécan","pt":"noz-pecã"}',1,replace('pecan\ncarya illinoinensis\npecan\npekannuss\nnuez pecana\nnoix de pécan\nnoz-pecã','\n',char(10)));
INSERT INTO crops VALUES(99,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','persimmon','Persimmon','Diospyros kaki','3','3.01.90','01359','','perennial','Ebenaceae',0,0,0,0,'orchard_fruit','null','{"de":"Kaki","es":"caqui","fr":"kaki","pt":"caqui"}',1,replace('persimmon\ndiospyros kaki\npersimmon\nkaki\ncaqui\nkaki\ncaqui','\n',char(10)));
INSERT INTO crops VALUES(100,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','pineapple','Pineapple','Ananas comosus','3','3.01.08','01318','','perennial','Bromeliaceae',0,0,0,0,'vegetables_generic','null','{"de":"Ananas","es":"piña","fr":"ananas","pt":"abacaxi"}',1,replace('pineapple\nananas comosus\npineapple\nananas\npiña\nananas\nabacaxi','\n',char(10)));
INSERT INTO crops VALUES(101,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','pistachio','Pistachio','Pistacia vera','3','3.06.05','01375','3303030400','perennial','Anacardiaceae',0,0,0,0,'nuts','null','{"de":"Pistazie","es":"pistacho","fr":"pistache","pt":"pistache"}',1,replace('pistachio\npistacia vera\npistachio\npistazie\npistacho\npistache\npistache','\n',char(10)));
INSERT INTO crops VALUES(102,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','plantain','Plantain','Musa × paradisiaca','3','3.01.03','01313','','perennial','Musaceae',0,0,0,0,'banana','null','{"de":"Kochbanane","es":"plátano macho","fr":"banane plantain","pt":"banana-da-terra"}',1,replace('plantain\nmusa × paradisiaca\nplantain\nkochbanane\nplátano macho\nbanane plantain\nbanana-da-terra','\n',char(10)));
INSERT INTO crops VALUES(103,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','plum','Plum','Prunus domestica','3','3.05.06','01346','3303011300','perennial','Rosaceae',0,0,0,0,'orchard_fruit','null','{"de":"Pflaume","es":"ciruela","fr":"prune","pt":"ameixa"}',1,replace('plum\nprunus domestica\nplum\npflaume\nciruela\nprune\nameixa','\n',char(10)));
INSERT INTO crops VALUES(104,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','pomegranate','Pomegranate','Punica granatum','3','3.90','','3303011400','perennial','Lythraceae',0,0,0,0,'orchard_fruit','null','{"de":"Granatapfel","es":"granada","fr":"grenade","pt":"romã"}',1,replace('pomegranate\npunica granatum\npomegranate\ngranatapfel\ngranada\ngrenade\nromã','\n',char(10)));
INSERT INTO crops VALUES(105,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','quince','Quince','Cydonia oblonga','3','3.05.05','01342','3303011500','perennial','Rosaceae',0,0,0,0,'orchard_fruit','null','{"de":"Quitte","es":"membrillo","fr":"coing","pt":"marmelo"}',1,replace('quince\ncydonia oblonga\nquince\nquitte\nmembrillo\ncoing\nmarmelo','\n',char(10)));
INSERT INTO crops VALUES(106,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','raspberry','Raspberry','Rubus idaeus','3','3.04.04','01353','3303021000','perennial','Rosaceae',0,0,0,0,'orchard_fruit','null','{"de":"Himbeere","es":"frambuesa","fr":"framboise","pt":"framboesa"}',1,replace('raspberry\nrubus idaeus\nraspberry\nhimbeere\nframbuesa\nframboise\nframboesa','\n',char(10)));
INSERT INTO crops VALUES(107,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','strawberry','Strawberry','Fragaria × ananassa','3','3.04.05','01354','3301130000','perennial','Rosaceae',0,0,0,0,'vegetables_generic','null','{"de":"Erdbeere","es":"fresa","fr":"fraise","pt":"morango"}',1,replace('strawberry\nfragaria × ananassa\nstrawberry\nerdbeere\nfresa\nfraise\nmorango','\n',char(10)));
INSERT INTO crops VALUES(108,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','walnut','Walnut','Juglans regia','3','3.06.06','01376','3303030600','perennial','Juglandaceae',0,0,0,0,'nuts','null','{"de":"Walnuss","es":"nuez","fr":"noix","pt":"noz"}',1,replace('walnut\njuglans regia\nwalnut\nwalnuss\nnuez\nnoix\nnoz','\n',char(10)));
INSERT INTO crops VALUES(109,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','camelina','Camelina','Camelina sativa','4','','','3301061500','annual','Brassicaceae',0,0,0,0,'generic','null','{"de":"Leindotter","es":"camelina","fr":"cameline","pt":"camelina"}',1,replace('camelina\ncamelina sativa\ncamelina\nleindotter\ncamelina\ncameline\ncamelina','\n',char(10)));
INSERT INTO crops VALUES(110,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','castor_bean','Castor bean','Ricinus communis','4','4.03.01','01447','3303080600','annual','Euphorbiaceae',0,0,0,0,'generic','null','{"de":"Rizinus","es":"ricino","fr":"ricin","pt":"mamona"}',1,replace('castor bean\nricinus communis\ncastor_bean\nrizinus\nricino\nricin\nmamona','\n',char(10)));
INSERT INTO crops VALUES(111,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','coconut','Coconut','Cocos nucifera','4','4.04.01','01460','','perennial','Arecaceae',0,0,0,0,'orchard_fruit','null','{"de":"Kokosnuss","es":"coco","fr":"noix de coco","pt":"coco"}',1,replace('coconut\ncocos nucifera\ncoconut\nkokosnuss\ncoco\nnoix de coco\ncoco','\n',char(10)));
INSERT INTO crops VALUES(112,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','groundnut','Groundnut','Arachis hypogaea','4','4.02','0142','3301090302','annual','Fabaceae',1,0,0,0,'peanuts','null','{"de":"Erdnuss","es":"cacahuete","fr":"arachide","pt":"amendoim"}',1,replace('groundnut\narachis hypogaea\ngroundnut\nerdnuss\ncacahuete\narachide\namendoim','\n',char(10)));
INSERT INTO crops VALUES(113,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','linseed','Linseed','Linum usitatissimum','4','4.03.02','01441','3301060702','annual','Linaceae',0,0,0,0,'generic','null','{"de":"Öllein","es":"lino oleaginoso","fr":"lin oléagineux","pt":"linhaça"}',1,replace('linseed\nlinum usitatissimum\nlinseed\nöllein\nlino oleaginoso\nlin oléagineux\nlinhaça','\n',char(10)));
INSERT INTO crops VALUES(114,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','mustard','Mustard','Sinapis alba; Brassica spp.','4','4.03.03','01442','3301210100','annual','Brassicaceae',0,0,0,0,'generic','null','{"de":"Senf","es":"mostaza","fr":"moutarde","pt":"mostarda"}',1,replace('mustard\nsinapis alba; brassica spp.\nmustard\nsenf\nmostaza\nmoutarde\nmostarda','\n',char(10)));
INSERT INTO crops VALUES(115,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','niger_seed','Niger seed','Guizotia abyssinica','4','4.03.04','01449','3301060900','annual','Asteraceae',0,0,0,0,'generic','null','{"de":"Ramtillkraut"}',1,replace('niger seed\nguizotia abyssinica\nniger_seed\nramtillkraut','\n',char(10)));
INSERT INTO crops VALUES(116,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','oil_palm','Oil palm','Elaeis guineensis','4','4.04.03','01491','','perennial','Arecaceae',0,0,0,0,'oil_palm','null','{"de":"Ölpalme","es":"palma aceitera","fr":"palmier à huile","pt":"dendê"}',1,replace('oil palm\nelaeis guineensis\noil_palm\nölpalme\npalma aceitera\npalmier à huile\ndendê','\n',char(10)));
INSERT INTO crops VALUES(117,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','olive','Olive','Olea europaea','4','4.04.02','01450','3303050000','perennial','Oleaceae',0,0,0,0,'orchard_fruit','null','{"de":"Olive","es":"aceituna","fr":"olive","pt":"azeitona"}',1,replace('olive\nolea europaea\nolive\nolive\naceituna\nolive\nazeitona','\n',char(10)));
INSERT INTO crops VALUES(118,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','poppy','Poppy','Papaver somniferum','4','4.03.12','01448','3301060600','annual','Papaveraceae',0,0,0,0,'generic','null','{"de":"Schlafmohn","es":"adormidera","fr":"pavot","pt":"papoula"}',1,replace('poppy\npapaver somniferum\npoppy\nschlafmohn\nadormidera\npavot\npapoula','\n',char(10)));
INSERT INTO crops VALUES(119,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','safflower','Safflower','Carthamus tinctorius','4','4.03.06','01446','3301083900','annual','Asteraceae',0,0,0,0,'generic','null','{"de":"Saflor","es":"cártamo","fr":"carthame","pt":"cártamo"}',1,replace('safflower\ncarthamus tinctorius\nsafflower\nsaflor\ncártamo\ncarthame\ncártamo','\n',char(10)));
INSERT INTO crops VALUES(120,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','sesame','Sesame','Sesamum indicum','4','4.03.07','01444','','annual','Pedaliaceae',0,0,0,0,'generic','null','{"de":"Sesam","es":"sésamo","fr":"sésame","pt":"gergelim"}',1,replace('sesame\nsesamum indicum\nsesame\nsesam\nsésamo\nsésame\ngergelim','\n',char(10)));
INSERT INTO crops VALUES(121,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','soybean','Soybean','Glycine max','4','4.01','0141','3301160000','annual','Fabaceae',1,0,0,0,'soybeans','["Soy_Corn","Soy_Cotton","Soy_Millet","Soy_Sunflower"]','{"de":"Sojabohne","es":"soja","fr":"soja","pt":"soja"}',1,replace('soybean\nglycine max\nsoybean\nsojabohne\nsoja\nsoja\nsoja','\n',char(10)));
INSERT INTO crops VALUES(122,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','spring_rapeseed','Spring rapeseed','Brassica napus','4','4.03.05','01443','3301060402','annual','Brassicaceae',0,0,0,0,'oilseed_rape','null','{"de":"Sommerraps","es":"colza de primavera","fr":"colza de printemps","pt":"colza de primavera"}',1,replace('spring rapeseed\nbrassica napus\nspring_rapeseed\nsommerraps\ncolza de primavera\ncolza de printemps\ncolza de primavera','\n',char(10)));
INSERT INTO crops VALUES(123,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','sunflower','Sunflower','Helianthus annuus','4','4.03.08','01445','3301060500','annual','Asteraceae',0,0,0,0,'sunflower','["Soy_Sunflower"]','{"de":"Sonnenblume","es":"girasol","fr":"tournesol","pt":"girassol"}',1,replace('sunflower\nhelianthus annuus\nsunflower\nsonnenblume\ngirasol\ntournesol\ngirassol','\n',char(10)));
INSERT INTO crops VALUES(124,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','winter_rapeseed','Winter rapeseed','Brassica napus','4','4.03.05','01443','3301060401','annual','Brassicaceae',0,0,0,0,'oilseed_rape','null','{"de":"Winterraps","es":"colza de invierno","fr":"colza d''hiver","pt":"colza de inverno"}',1,replace('winter rapeseed\nbrassica napus\nwinter_rapeseed\nwinterraps\ncolza de invierno\ncolza d''hiver\ncolza de inverno','\n',char(10)));
INSERT INTO crops VALUES(125,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','cassava','Cassava','Manihot esculenta','5','5.03','01520','','annual','Euphorbiaceae',0,0,0,0,'potatoes_and_tubers','null','{"de":"Maniok","es":"yuca","fr":"manioc","pt":"mandioca"}',1,replace('cassava\nmanihot esculenta\ncassava\nmaniok\nyuca\nmanioc\nmandioca','\n',char(10)));
INSERT INTO crops VALUES(126,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','potato','Potato','Solanum tuberosum','5','5.01','01510','3301030000','annual','Solanaceae',0,0,0,0,'potatoes_and_tubers','null','{"de":"Kartoffel","es":"patata","fr":"pomme de terre","pt":"batata"}',1,replace('potato\nsolanum tuberosum\npotato\nkartoffel\npatata\npomme de terre\nbatata','\n',char(10)));
INSERT INTO crops VALUES(127,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','sweet_potato','Sweet potato','Ipomoea batatas','5','5.02','01530','3301040000','annual','Convolvulaceae',0,0,0,0,'potatoes_and_tubers','null','{"de":"Süßkartoffel","es":"batata","fr":"patate douce","pt":"batata-doce"}',1,replace('sweet potato\nipomoea batatas\nsweet_potato\nsüßkartoffel\nbatata\npatate douce\nbatata-doce','\n',char(10)));
INSERT INTO crops VALUES(128,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','taro','Taro','Colocasia esculenta','5','5.05','01550','','annual','Araceae',0,0,0,0,'potatoes_and_tubers','null','{"de":"Taro","es":"taro","fr":"taro","pt":"taro"}',1,replace('taro\ncolocasia esculenta\ntaro\ntaro\ntaro\ntaro\ntaro','\n',char(10)));
INSERT INTO crops VALUES(129,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','yam','Yam','Dioscorea spp.','5','5.04','01540','','annual','Dioscoreaceae',0,0,0,0,'potatoes_and_tubers','null','{"de":"Yams","es":"ñame","fr":"igname"}',1,replace('yam\ndioscorea spp.\nyam\nyams\nñame\nigname','\n',char(10)));
INSERT INTO crops VALUES(130,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','yautia','Yautia','Xanthosoma sagittifolium','5','5.06','01591','','annual','Araceae',0,0,0,0,'potatoes_and_tubers','null','{"es":"yautía","fr":"chou caraïbe","pt":"taioba"}',1,replace('yautia\nxanthosoma sagittifolium\nyautia\nyautía\nchou caraïbe\ntaioba','\n',char(10)));
INSERT INTO crops VALUES(131,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','black_pepper','Black pepper','Piper nigrum','6','6.02.02.01','01651','','perennial','Piperaceae',0,0,0,0,'generic','null','{"de":"Schwarzer Pfeffer","es":"pimienta negra","fr":"poivre noir","pt":"pimenta-do-reino"}',1,replace('black pepper\npiper nigrum\nblack_pepper\nschwarzer pfeffer\npimienta negra\npoivre noir\npimenta-do-reino','\n',char(10)));
INSERT INTO crops VALUES(132,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','chilli','Chilli','Capsicum spp.','6','6.02.01.01','01652','3301300200','annual','Solanaceae',0,0,0,0,'vegetables_generic','null','{"de":"Chili","es":"chile","fr":"piment","pt":"pimenta"}',1,replace('chilli\ncapsicum spp.\nchilli\nchili\nchile\npiment\npimenta','\n',char(10)));
INSERT INTO crops VALUES(133,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','cocoa','Cocoa','Theobroma cacao','6','6.01.04','01640','','perennial','Malvaceae',0,0,0,0,'cocoa','null','{"de":"Kakao","es":"cacao","fr":"cacao","pt":"cacau"}',1,replace('cocoa\ntheobroma cacao\ncocoa\nkakao\ncacao\ncacao\ncacau','\n',char(10)));
INSERT INTO crops VALUES(134,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','coffee','Coffee','Coffea spp.','6','6.01.01','01610','','perennial','Rubiaceae',0,0,0,0,'coffee','null','{"de":"Kaffee","es":"café","fr":"café","pt":"café"}',1,replace('coffee\ncoffea spp.\ncoffee\nkaffee\ncafé\ncafé\ncafé','\n',char(10)));
INSERT INTO crops VALUES(135,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','coriander','Coriander','Coriandrum sativum','6','','01654','3301061215','annual','Apiaceae',0,0,0,0,'generic','null','{"de":"Koriander","es":"cilantro","fr":"coriandre","pt":"coentro"}',1,replace('coriander\ncoriandrum sativum\ncoriander\nkoriander\ncilantro\ncoriandre\ncoentro','\n',char(10)));
INSERT INTO crops VALUES(136,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','cumin','Cumin','Cuminum cyminum','6','','01654','','annual','Apiaceae',0,0,0,0,'generic','null','{"de":"Kreuzkümmel","es":"comino","fr":"cumin","pt":"cominho"}',1,replace('cumin\ncuminum cyminum\ncumin\nkreuzkümmel\ncomino\ncumin\ncominho','\n',char(10)));
INSERT INTO crops VALUES(137,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','fennel','Fennel','Foeniculum vulgare','6','6.02.01.02','','3301170000','annual','Apiaceae',0,0,0,0,'vegetables_generic','null','{"de":"Fenchel","es":"hinojo","fr":"fenouil","pt":"funcho"}',1,replace('fennel\nfoeniculum vulgare\nfennel\nfenchel\nhinojo\nfenouil\nfuncho','\n',char(10)));
INSERT INTO crops VALUES(138,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','ginger','Ginger','Zingiber officinale','6','6.02.02.05','01657','','annual','Zingiberaceae',0,0,0,0,'generic','null','{"de":"Ingwer","es":"jengibre","fr":"gingembre","pt":"gengibre"}',1,replace('ginger\nzingiber officinale\nginger\ningwer\njengibre\ngingembre\ngengibre','\n',char(10)));
INSERT INTO crops VALUES(139,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','hops','Hops','Humulus lupulus','6','6.02.02.07','01659','3301060200','perennial','Cannabaceae',0,0,0,0,'generic','null','{"de":"Hopfen","es":"lúpulo","fr":"houblon","pt":"lúpulo"}',1,replace('hops\nhumulus lupulus\nhops\nhopfen\nlúpulo\nhoublon\nlúpulo','\n',char(10)));
INSERT INTO crops VALUES(140,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','mate','Maté','Ilex paraguariensis','6','6.01.03','01630','','perennial','Aquifoliaceae',0,0,0,0,'generic','null','{"de":"Mate","es":"yerba mate","fr":"maté","pt":"erva-mate"}',1,replace('maté\nilex paraguariensis\nmate\nmate\nyerba mate\nmaté\nerva-mate','\n',char(10)));
INSERT INTO crops VALUES(141,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','sweet_pepper','Sweet pepper','Capsicum annuum','6','6.02.01.01','01231','3301300100','annual','Solanaceae',0,0,0,0,'vegetables_generic','null','{"de":"Paprika","es":"pimiento","fr":"poivron","pt":"pimentão"}',1,replace('sweet pepper\ncapsicum annuum\nsweet_pepper\npaprika\npimiento\npoivron\npimentão','\n',char(10)));
INSERT INTO crops VALUES(142,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','tea','Tea','Camellia sinensis','6','6.01.02','01620','','perennial','Theaceae',0,0,0,0,'tea','null','{"de":"Tee","es":"té","fr":"thé","pt":"chá"}',1,replace('tea\ncamellia sinensis\ntea\ntee\nté\nthé\nchá','\n',char(10)));
INSERT INTO crops VALUES(143,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','vanilla','Vanilla','Vanilla planifolia','6','6.02.02.06','01658','','perennial','Orchidaceae',0,0,0,0,'generic','null','{"de":"Vanille","es":"vainilla","fr":"vanille","pt":"baunilha"}',1,replace('vanilla\nvanilla planifolia\nvanilla\nvanille\nvainilla\nvanille\nbaunilha','\n',char(10)));
INSERT INTO crops VALUES(144,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','bambara_bean','Bambara bean','Vigna subterranea','7','7.09','01708','','annual','Fabaceae',1,0,0,0,'beans_and_pulses','null','{"de":"Bambara-Erdnuss","fr":"pois bambara"}',1,replace('bambara bean\nvigna subterranea\nbambara_bean\nbambara-erdnuss\npois bambara','\n',char(10)));
INSERT INTO crops VALUES(145,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','chickpea','Chickpea','Cicer arietinum','7','7.03','01703','3301020200','annual','Fabaceae',1,0,0,0,'beans_and_pulses','null','{"de":"Kichererbse","es":"garbanzo","fr":"pois chiche","pt":"grão-de-bico"}',1,replace('chickpea\ncicer arietinum\nchickpea\nkichererbse\ngarbanzo\npois chiche\ngrão-de-bico','\n',char(10)));
INSERT INTO crops VALUES(146,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','cowpea','Cowpea','Vigna unguiculata','7','7.04','01706','','annual','Fabaceae',1,0,0,0,'beans_and_pulses','null','{"de":"Augenbohne","es":"caupí","fr":"niébé","pt":"feijão-caupi"}',1,replace('cowpea\nvigna unguiculata\ncowpea\naugenbohne\ncaupí\nniébé\nfeijão-caupi','\n',char(10)));
INSERT INTO crops VALUES(147,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','dry_bean','Dry bean','Phaseolus vulgaris','7','7.01','01701','3301020100','annual','Fabaceae',1,0,0,0,'beans_and_pulses','null','{"de":"Trockenbohne","es":"judía seca","fr":"haricot sec","pt":"feijão"}',1,replace('dry bean\nphaseolus vulgaris\ndry_bean\ntrockenbohne\njudía seca\nharicot sec\nfeijão','\n',char(10)));
INSERT INTO crops VALUES(148,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','dry_pea','Dry pea','Pisum sativum','7','7.07','01705','3301020600','annual','Fabaceae',1,0,0,0,'beans_and_pulses','null','{"de":"Trockenerbse","es":"guisante seco","fr":"pois sec","pt":"ervilha seca"}',1,replace('dry pea\npisum sativum\ndry_pea\ntrockenerbse\nguisante seco\npois sec\nervilha seca','\n',char(10)));
INSERT INTO crops VALUES(149,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','faba_bean','Faba bean','Vicia faba','7','7.02','01702','3301020100','annual','Fabaceae',1,0,0,0,'beans_and_pulses','null','{"de":"Ackerbohne","es":"haba","fr":"féverole","pt":"fava"}',1,replace('faba bean\nvicia faba\nfaba_bean\nackerbohne\nhaba\nféverole\nfava','\n',char(10)));
INSERT INTO crops VALUES(150,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','green_bean','Green bean','Phaseolus vulgaris','7','7.01','01241','3301020100','annual','Fabaceae',1,0,0,0,'vegetables_generic','null','{"de":"Grüne Bohne","es":"judía verde","fr":"haricot vert","pt":"vagem"}',1,replace('green bean\nphaseolus vulgaris\ngreen_bean\ngrüne bohne\njudía verde\nharicot vert\nvagem','\n',char(10)));
INSERT INTO crops VALUES(151,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','green_pea','Green pea','Pisum sativum','7','7.07','01242','3301020600','annual','Fabaceae',1,0,0,0,'vegetables_generic','null','{"de":"Gemüseerbse","es":"guisante verde","fr":"petit pois","pt":"ervilha"}',1,replace('green pea\npisum sativum\ngreen_pea\ngemüseerbse\nguisante verde\npetit pois\nervilha','\n',char(10)));
INSERT INTO crops VALUES(152,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','lentil','Lentil','Lens culinaris','7','7.05','01704','3301020500','annual','Fabaceae',1,0,0,0,'beans_and_pulses','null','{"de":"Linse","es":"lenteja","fr":"lentille","pt":"lentilha"}',1,replace('lentil\nlens culinaris\nlentil\nlinse\nlenteja\nlentille\nlentilha','\n',char(10)));
INSERT INTO crops VALUES(153,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','lupin','Lupin','Lupinus spp.','7','7.06','01709','3301020700','annual','Fabaceae',1,0,0,0,'beans_and_pulses','null','{"de":"Lupine","es":"altramuz","fr":"lupin","pt":"tremoço"}',1,replace('lupin\nlupinus spp.\nlupin\nlupine\naltramuz\nlupin\ntremoço','\n',char(10)));
INSERT INTO crops VALUES(154,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','mung_bean','Mung bean','Vigna radiata','7','','','','annual','Fabaceae',1,0,0,0,'beans_and_pulses','null','{"de":"Mungbohne","es":"judía mungo","fr":"haricot mungo","pt":"feijão-mungo"}',1,replace('mung bean\nvigna radiata\nmung_bean\nmungbohne\njudía mungo\nharicot mungo\nfeijão-mungo','\n',char(10)));
INSERT INTO crops VALUES(155,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','pigeon_pea','Pigeon pea','Cajanus cajan','7','7.08','01707','','annual','Fabaceae',1,0,0,0,'beans_and_pulses','null','{"de":"Straucherbse","es":"gandul","fr":"pois d''Angole","pt":"feijão-guandu"}',1,replace('pigeon pea\ncajanus cajan\npigeon_pea\nstraucherbse\ngandul\npois d''angole\nfeijão-guandu','\n',char(10)));
INSERT INTO crops VALUES(156,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','vetch','Vetch','Vicia spp.','7','7.10','01709','3301090305','annual','Fabaceae',1,0,0,0,'n_fixing_forages','null','{"de":"Wicke","es":"veza","fr":"vesce","pt":"ervilhaca"}',1,replace('vetch\nvicia spp.\nvetch\nwicke\nveza\nvesce\nervilhaca','\n',char(10)));
INSERT INTO crops VALUES(157,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','fodder_beet','Fodder beet','Beta vulgaris subsp. vulgaris','8','8.01','01919','3301290400','annual','Amaranthaceae',0,0,0,0,'sugar_beet','null','{"de":"Futterrübe","es":"remolacha forrajera","fr":"betterave fourragère","pt":"beterraba forrageira"}',1,replace('fodder beet\nbeta vulgaris subsp. vulgaris\nfodder_beet\nfutterrübe\nremolacha forrajera\nbetterave fourragère\nbeterraba forrageira','\n',char(10)));
INSERT INTO crops VALUES(158,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','sugar_beet','Sugar beet','Beta vulgaris subsp. vulgaris','8','8.01','01801','3301290700','annual','Amaranthaceae',0,0,0,0,'sugar_beet','null','{"de":"Zuckerrübe","es":"remolacha azucarera","fr":"betterave sucrière","pt":"beterraba-açucareira"}',1,replace('sugar beet\nbeta vulgaris subsp. vulgaris\nsugar_beet\nzuckerrübe\nremolacha azucarera\nbetterave sucrière\nbeterraba-açucareira','\n',char(10)));
INSERT INTO crops VALUES(159,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','sugar_cane','Sugar cane','Saccharum officinarum','8','8.02','01802','','perennial','Poaceae',0,0,0,0,'sugarcane','null','{"de":"Zuckerrohr","es":"caña de azúcar","fr":"canne à sucre","pt":"cana-de-açúcar"}',1,replace('sugar cane\nsaccharum officinarum\nsugar_cane\nzuckerrohr\ncaña de azúcar\ncanne à sucre\ncana-de-açúcar','\n',char(10)));
INSERT INTO crops VALUES(160,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','sweet_sorghum','Sweet sorghum','Sorghum bicolor','8','8.03','01809','3301010900','annual','Poaceae',0,0,0,0,'sorghum','null','{"de":"Zuckerhirse","es":"sorgo dulce","fr":"sorgho sucré","pt":"sorgo sacarino"}',1,replace('sweet sorghum\nsorghum bicolor\nsweet_sorghum\nzuckerhirse\nsorgo dulce\nsorgho sucré\nsorgo sacarino','\n',char(10)));
INSERT INTO crops VALUES(161,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','alfalfa','Alfalfa','Medicago sativa','9','9.01.01','01912','3301090301','perennial','Fabaceae',1,0,0,0,'alfalfa','null','{"de":"Luzerne","es":"alfalfa","fr":"luzerne","pt":"alfafa"}',1,replace('alfalfa\nmedicago sativa\nalfalfa\nluzerne\nalfalfa\nluzerne\nalfafa','\n',char(10)));
INSERT INTO crops VALUES(162,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','clover','Clover','Trifolium spp.','9','9.01.01','01919','3301090303','perennial','Fabaceae',1,0,0,0,'n_fixing_forages','null','{"de":"Klee","es":"trébol","fr":"trèfle","pt":"trevo"}',1,replace('clover\ntrifolium spp.\nclover\nklee\ntrébol\ntrèfle\ntrevo','\n',char(10)));
INSERT INTO crops VALUES(163,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','cotton','Cotton','Gossypium spp.','9','9.02.01.01','01921','3301060300','annual','Malvaceae',0,0,0,0,'cotton','["Fallow_Cotton","Soy_Cotton"]','{"de":"Baumwolle","es":"algodón","fr":"coton","pt":"algodão"}',1,replace('cotton\ngossypium spp.\ncotton\nbaumwolle\nalgodón\ncoton\nalgodão','\n',char(10)));
INSERT INTO crops VALUES(164,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','cover_crop','Cover crop','','9','','','','annual','',0,0,0,1,'generic','null','{"de":"Zwischenfrucht","es":"cultivo de cobertura","fr":"culture de couverture","pt":"cultura de cobertura"}',1,replace('cover crop\n\ncover_crop\nzwischenfrucht\ncultivo de cobertura\nculture de couverture\ncultura de cobertura','\n',char(10)));
INSERT INTO crops VALUES(165,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','fallow','Fallow','','9','','','3301110000','annual','',0,0,0,0,'generic','null','{"de":"Brache","es":"barbecho","fr":"jachère","pt":"pousio"}',1,replace('fallow\n\nfallow\nbrache\nbarbecho\njachère\npousio','\n',char(10)));
INSERT INTO crops VALUES(166,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','flax_fibre','Flax (fibre)','Linum usitatissimum','9','9.02.01.03','01929','3301060701','annual','Linaceae',0,0,0,0,'generic','null','{"de":"Faserlein","es":"lino textil","fr":"lin textile","pt":"linho"}',1,replace('flax (fibre)\nlinum usitatissimum\nflax_fibre\nfaserlein\nlino textil\nlin textile\nlinho','\n',char(10)));
INSERT INTO crops VALUES(167,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','grass_clover_ley','Grass-clover ley','','9','9.01.01','','','perennial','',1,0,1,0,'grass_clover_mixtures','null','{"de":"Kleegras","fr":"mélange graminées-trèfle"}',1,replace('grass-clover ley\n\ngrass_clover_ley\nkleegras\nmélange graminées-trèfle','\n',char(10)));
INSERT INTO crops VALUES(168,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','hemp','Hemp','Cannabis sativa','9','9.02.01.04','01929','3301061000','annual','Cannabaceae',0,0,0,0,'generic','null','{"de":"Hanf","es":"cáñamo","fr":"chanvre","pt":"cânhamo"}',1,replace('hemp\ncannabis sativa\nhemp\nhanf\ncáñamo\nchanvre\ncânhamo','\n',char(10)));
INSERT INTO crops VALUES(169,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','jute','Jute','Corchorus spp.','9','9.02.01.02','01922','','annual','Malvaceae',0,0,0,0,'generic','null','{"de":"Jute","es":"yute","fr":"jute","pt":"juta"}',1,replace('jute\ncorchorus spp.\njute\njute\nyute\njute\njuta','\n',char(10)));
INSERT INTO crops VALUES(170,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','mint','Mint','Mentha spp.','9','9.03.01.01','01930','3301061222','perennial','Lamiaceae',0,0,0,0,'generic','null','{"de":"Minze","es":"menta","fr":"menthe","pt":"hortelã"}',1,replace('mint\nmentha spp.\nmint\nminze\nmenta\nmenthe\nhortelã','\n',char(10)));
INSERT INTO crops VALUES(171,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','miscanthus','Miscanthus','Miscanthus × giganteus','9','','','3301083000','perennial','Poaceae',0,0,0,0,'perennial_grasses','null','{"de":"Miscanthus","es":"miscanthus","fr":"miscanthus"}',1,replace('miscanthus\nmiscanthus × giganteus\nmiscanthus\nmiscanthus\nmiscanthus\nmiscanthus','\n',char(10)));
INSERT INTO crops VALUES(172,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','permanent_grassland','Permanent grassland','','9','9.01.02','','3302000000','perennial','Poaceae',0,0,1,0,'perennial_grasses','["Pasture"]','{"de":"Dauergrünland","es":"pradera permanente","fr":"prairie permanente","pt":"pastagem permanente"}',1,replace('permanent grassland\n\npermanent_grassland\ndauergrünland\npradera permanente\nprairie permanente\npastagem permanente','\n',char(10)));
INSERT INTO crops VALUES(173,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','phacelia','Phacelia','Phacelia tanacetifolia','9','','','3301061400','annual','Boraginaceae',0,0,0,1,'generic','null','{"de":"Phacelia","es":"facelia","fr":"phacélie","pt":"facélia"}',1,replace('phacelia\nphacelia tanacetifolia\nphacelia\nphacelia\nfacelia\nphacélie\nfacélia','\n',char(10)));
INSERT INTO crops VALUES(174,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','rubber','Rubber','Hevea brasiliensis','9','9.04','01950','','perennial','Euphorbiaceae',0,0,0,0,'generic','null','{"de":"Kautschukbaum","es":"caucho","fr":"hévéa","pt":"seringueira"}',1,replace('rubber\nhevea brasiliensis\nrubber\nkautschukbaum\ncaucho\nhévéa\nseringueira','\n',char(10)));
INSERT INTO crops VALUES(175,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','sainfoin','Sainfoin','Onobrychis viciifolia','9','9.01.01','01919','','perennial','Fabaceae',1,0,0,0,'n_fixing_forages','null','{"de":"Esparsette","es":"esparceta","fr":"sainfoin","pt":"sanfeno"}',1,replace('sainfoin\nonobrychis viciifolia\nsainfoin\nesparsette\nesparceta\nsainfoin\nsanfeno','\n',char(10)));
INSERT INTO crops VALUES(176,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','sisal','Sisal','Agave sisalana','9','9.02.02.02','01929','','perennial','Asparagaceae',0,0,0,0,'generic','null','{"de":"Sisal","es":"sisal","fr":"sisal","pt":"sisal"}',1,replace('sisal\nagave sisalana\nsisal\nsisal\nsisal\nsisal\nsisal','\n',char(10)));
INSERT INTO crops VALUES(177,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','switchgrass','Switchgrass','Panicum virgatum','9','','','3301090208','perennial','Poaceae',0,0,0,0,'perennial_grasses','null','{"de":"Rutenhirse","es":"pasto varilla","fr":"panic érigé"}',1,replace('switchgrass\npanicum virgatum\nswitchgrass\nrutenhirse\npasto varilla\npanic érigé','\n',char(10)));
INSERT INTO crops VALUES(178,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','temporary_grassland','Temporary grassland','','9','9.01.01','','3301090100','perennial','Poaceae',0,0,1,0,'perennial_grasses','null','{"de":"Ackergras","es":"pradera temporal","fr":"prairie temporaire","pt":"pastagem temporária"}',1,replace('temporary grassland\n\ntemporary_grassland\nackergras\npradera temporal\nprairie temporaire\npastagem temporária','\n',char(10)));
INSERT INTO crops VALUES(179,'2026-11-27T14:21:29.535491Z','2026-11-27T14:21:29.535491Z','tobacco','Tobacco','Nicotiana tabacum','9','9.06','01970','3301060100','annual','Solanaceae',0,0,0,0,'generic','null','{"de":"Tabak","es":"tabaco","fr":"tabac","pt":"tabaco"}',1,replace('tobacco\nnicotiana tabacum\ntobacco\ntabak\ntabaco\ntabac\ntabaco','\n',char(10)));
CREATE TABLE cultivations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  company_id BIGINT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT,
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
INSERT INTO cultivations VALUES(1,1,'2026-11-27T14:21:31.427805Z','2026-11-27T14:21:31.427805Z',NULL,1,1,9,1);
INSERT INTO cultivations VALUES(2,1,'2026-11-27T14:21:31.429846Z','2026-11-27T14:21:31.429846Z',NULL,1,1,158,2);
INSERT INTO cultivations VALUES(3,1,'2026-11-27T14:21:31.431641Z','2026-11-27T14:21:31.431641Z',NULL,1,1,172,3);
INSERT INTO cultivations VALUES(4,1,'2026-11-27T14:21:31.433700Z','2026-11-27T14:21:31.433700Z',NULL,1,1,126,4);
INSERT INTO cultivations VALUES(5,1,'2026-11-27T14:21:31.435527Z','2026-11-27T14:21:31.435527Z',NULL,1,1,123,5);
INSERT INTO cultivations VALUES(6,1,'2026-11-27T14:21:31.437395Z','2026-11-27T14:21:31.437395Z',NULL,1,1,165,6);
INSERT INTO cultivations VALUES(7,1,'2026-11-27T14:21:31.439380Z','2026-11-27T14:21:31.439380Z',NULL,1,1,21,7);
INSERT INTO cultivations VALUES(8,1,'2026-11-27T14:21:31.443422Z','2026-11-27T14:21:31.443422Z',NULL,1,1,124,8);
INSERT INTO cultivations VALUES(9,1,'2026-11-27T14:21:31.446109Z','2026-11-27T14:21:31.446109Z',NULL,1,1,161,9);
INSERT INTO cultivations VALUES(10,1,'2026-11-27T14:21:32.354471Z','2026-11-27T14:21:32.354471Z',NULL,1,2,29,10);
CREATE TABLE share_grants (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  company_id BIGINT NOT NULL,
  grantee_company_id BIGINT NOT NULL,
  target TEXT NOT NULL,
  farm_id BIGINT,
  field_id BIGINT,
  slugs TEXT NOT NULL,
  status TEXT NOT NULL,
  ends_on TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
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
INSERT INTO share_grants VALUES(1,1,2,'farm',2,NULL,'["farm.view","field.view"]','accepted',NULL,'2026-11-27T14:20:00.000000Z','2026-11-27T14:20:00.000000Z',1);
CREATE TABLE wallets (
  company_id BIGINT NOT NULL,
  balance BIGINT NOT NULL,
  held BIGINT NOT NULL,
  CONSTRAINT pk_wallets PRIMARY KEY (company_id),
  CONSTRAINT fk_wallets_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT ck_wallets_money CHECK (held >= 0 AND balance >= held)
);
INSERT INTO wallets VALUES(1,99043,2614);
CREATE TABLE ledger_transactions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  company_id BIGINT NOT NULL,
  created_at TEXT NOT NULL,
  kind TEXT NOT NULL,
  amount BIGINT NOT NULL,
  product TEXT NOT NULL,
  field_id BIGINT,
  order_id BIGINT,
  note TEXT NOT NULL,
  CONSTRAINT fk_ledger_transactions_wallet FOREIGN KEY (company_id) REFERENCES wallets (company_id),
  CONSTRAINT fk_ledger_transactions_field FOREIGN KEY (company_id, field_id) REFERENCES fields (company_id, id),
  CONSTRAINT ck_ledger_transactions_kind CHECK (kind IN ('credit', 'hold', 'capture', 'release', 'refund')),
  CONSTRAINT ck_ledger_transactions_amount CHECK (amount >= 0),
  CONSTRAINT ck_ledger_transactions_product CHECK (product IN
    ('', 'vegetation_index_profile', 'vegetation_index_map', 'zoning_map', 'soil_map', 'elevation_map'))
);
INSERT INTO ledger_transactions VALUES(1,1,'2026-11-27T14:21:31.415369Z','credit',100000,'',NULL,NULL,'Demonstration credit');
INSERT INTO ledger_transactions VALUES(2,1,'2026-11-27T14:21:32.363402Z','hold',957,'vegetation_index_profile',10,1,'');
INSERT INTO ledger_transactions VALUES(3,1,'2026-11-27T14:21:32.586513Z','capture',957,'vegetation_index_profile',10,1,'');
INSERT INTO ledger_transactions VALUES(4,1,'2026-11-27T14:21:33.171834Z','hold',2614,'vegetation_index_profile',1,2,'');
CREATE TABLE ledger_entries (
  transaction_id BIGINT NOT NULL,
  line INTEGER NOT NULL,
  account TEXT NOT NULL,
  amount BIGINT NOT NULL,
  CONSTRAINT pk_ledger_entries PRIMARY KEY (transaction_id, line),
  CONSTRAINT fk_ledger_entries_transaction FOREIGN KEY (transaction_id) REFERENCES ledger_transactions (id),
  CONSTRAINT ck_ledger_entries_account CHECK (account IN
    ('wallet:available', 'wallet:held', 'house:funding', 'house:revenue'))
);
INSERT INTO ledger_entries VALUES(1,1,'house:funding',-100000);
INSERT INTO ledger_entries VALUES(1,2,'wallet:available',100000);
INSERT INTO ledger_entries VALUES(2,1,'wallet:available',-957);
INSERT INTO ledger_entries VALUES(2,2,'wallet:held',957);
INSERT INTO ledger_entries VALUES(3,1,'wallet:held',-957);
INSERT INTO ledger_entries VALUES(3,2,'house:revenue',957);
INSERT INTO ledger_entries VALUES(4,1,'wallet:available',-2614);
INSERT INTO ledger_entries VALUES(4,2,'wallet:held',2614);
CREATE TABLE prices (
  service TEXT NOT NULL,
  per_ha BIGINT NOT NULL,
  set_at TEXT NOT NULL,
  CONSTRAINT pk_prices PRIMARY KEY (service),
  CONSTRAINT ck_prices_per_ha CHECK (per_ha >= 0)
);
INSERT INTO prices VALUES('vegetation_index_profile',100,'2026-11-27T14:21:31.415006Z');
INSERT INTO prices VALUES('STR',200,'2026-11-27T14:21:32.937776Z');
CREATE TABLE field_charges (
  field_id BIGINT NOT NULL,
  company_id BIGINT NOT NULL,
  order_id BIGINT NOT NULL,
  product TEXT NOT NULL,
  amount BIGINT NOT NULL,
  captured BOOLEAN NOT NULL,
  CONSTRAINT uq_field_charges_field PRIMARY KEY (field_id),
  CONSTRAINT fk_field_charges_field FOREIGN KEY (company_id, field_id) REFERENCES fields (company_id, id),
  CONSTRAINT ck_field_charges_amount CHECK (amount >= 0),
  CONSTRAINT ck_field_charges_product CHECK (product IN
    ('vegetation_index_profile', 'vegetation_index_map', 'zoning_map', 'soil_map', 'elevation_map'))
);
INSERT INTO field_charges VALUES(10,1,1,'vegetation_index_profile',957,1);
INSERT INTO field_charges VALUES(1,1,2,'vegetation_index_profile',2614,0);
CREATE TABLE profile_orders (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uuid TEXT NOT NULL,
  company_id BIGINT NOT NULL,
  field_id BIGINT NOT NULL,
  season_id BIGINT NOT NULL,
  index_code TEXT NOT NULL,
  status TEXT NOT NULL,
  reason TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  next_try_at TEXT,
  start_date TEXT NOT NULL,
  end_date TEXT NOT NULL,
  boundary TEXT NOT NULL,
  area_m2 BIGINT NOT NULL,
  created_by BIGINT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  last_checked_at TEXT,
  synthetic BOOLEAN NOT NULL,
  no_scl BOOLEAN NOT NULL,
  small_field BOOLEAN NOT NULL,
  CONSTRAINT uq_profile_orders_uuid UNIQUE (uuid),
  CONSTRAINT uq_profile_orders_field_season UNIQUE (company_id, field_id, season_id),
  CONSTRAINT fk_profile_orders_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT fk_profile_orders_field FOREIGN KEY (company_id, field_id) REFERENCES fields (company_id, id),
  CONSTRAINT fk_profile_orders_season FOREIGN KEY (company_id, season_id) REFERENCES seasons (company_id, id),
  CONSTRAINT fk_profile_orders_created_by FOREIGN KEY (created_by) REFERENCES users (id),
  CONSTRAINT ck_profile_orders_status CHECK (status IN ('pending', 'processing', 'active', 'failed')),
  CONSTRAINT ck_profile_orders_dates CHECK (end_date >= start_date),
  CONSTRAINT ck_profile_orders_numbers CHECK (attempts >= 0 AND area_m2 >= 0)
);
INSERT INTO profile_orders VALUES(1,'0292060e-9b9e-4610-9949-43b9d25fe1b2',1,10,2,'NDVI','active','',0,NULL,'2025-03-01','2025-10-31','{"type":"Polygon","coordinates":[[[-4.2243,41.7794],[-4.2206,41.7794],[-4.2206,41.7822],[-4.2243,41.7822],[-4.2243,41.7794]]]}',95661,1,'2026-11-27T14:21:32.363402Z','2026-11-27T14:21:32.586513Z','2026-11-27T14:21:32.586513Z',1,0,0);
INSERT INTO profile_orders VALUES(2,'06e29d86-f0ab-48f3-b8fe-29d5ecd5f2f3',1,1,2,'NDVI','processing','',0,NULL,'2025-03-01','2025-10-31','{"type":"Polygon","coordinates":[[[-4.184252,41.78317],[-4.184384,41.783845],[-4.184744,41.784471],[-4.185308,41.785006],[-4.186038,41.785414],[-4.186885,41.785666],[-4.18779,41.785745],[-4.188691,41.785647],[-4.189528,41.785378],[-4.190243,41.784955],[-4.190787,41.784408],[-4.191124,41.783775],[-4.19123,41.783098],[-4.191099,41.782423],[-4.190739,41.781797],[-4.190174,41.781262],[-4.189444,41.780854],[-4.188598,41.780602],[-4.187693,41.780522],[-4.186792,41.780621],[-4.185955,41.78089],[-4.18524,41.781313],[-4.184696,41.781859],[-4.184359,41.782493],[-4.184252,41.78317]]]}',261353,1,'2026-11-27T14:21:33.171834Z','2026-11-27T14:21:33.610953Z',NULL,0,0,0);
CREATE TABLE profile_series (
  order_id BIGINT NOT NULL,
  index_code TEXT NOT NULL,
  synthetic BOOLEAN NOT NULL,
  no_scl BOOLEAN NOT NULL,
  small_field BOOLEAN NOT NULL,
  CONSTRAINT pk_profile_series PRIMARY KEY (order_id, index_code),
  CONSTRAINT fk_profile_series_order FOREIGN KEY (order_id) REFERENCES profile_orders (id) ON DELETE CASCADE
);
INSERT INTO profile_series VALUES(1,'NDVI',1,0,0);
CREATE TABLE profile_observations (
  order_id BIGINT NOT NULL,
  index_code TEXT NOT NULL,
  date TEXT NOT NULL,
  line INTEGER NOT NULL,
  reason TEXT NOT NULL,
  coverage DOUBLE PRECISION NOT NULL,
  n_valid INTEGER NOT NULL,
  n_polygon INTEGER NOT NULL,
  items TEXT NOT NULL,
  mean DOUBLE PRECISION,
  median DOUBLE PRECISION,
  std DOUBLE PRECISION,
  min DOUBLE PRECISION,
  max DOUBLE PRECISION,
  p10 DOUBLE PRECISION,
  p90 DOUBLE PRECISION,
  CONSTRAINT pk_profile_observations PRIMARY KEY (order_id, index_code, line),
  CONSTRAINT fk_profile_observations_series FOREIGN KEY (order_id, index_code)
    REFERENCES profile_series (order_id, index_code) ON DELETE CASCADE,
  CONSTRAINT ck_profile_observations_reason CHECK (reason IN ('', 'cloud', 'nodata', 'partial', 'error', 'too_few')),
  CONSTRAINT ck_profile_observations_counts CHECK (n_valid >= 0 AND n_polygon >= 0),
  CONSTRAINT ck_profile_observations_mean CHECK ((reason = '') = (mean IS NOT NULL))
);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-03-01',1,'',1.0,957,957,'["SYNTHETIC_sentinel-2a_T30TUM_20250301"]',0.41224212916011199192,0.41223529411764708862,0.00010244600014243509665,0.41204139228598307687,0.41242937853107336509,0.41209696399152734302,0.41237355916254997412);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-03-06',2,'',1.0,957,957,'["SYNTHETIC_sentinel-2b_T30TUM_20250306"]',0.46934411489935878858,0.46931155192532081343,0.0001015523366684498521,0.46915887850467286046,0.4695307027784264009,0.46918767507002795413,0.46950222014489373378);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-03-11',3,'',1.0,957,957,'["SYNTHETIC_sentinel-2a_T30TUM_20250311"]',0.52992619108698590935,0.52990264255910990431,0.00010181840666982954542,0.52973848646146715068,0.53012048192771088483,0.52979364711337817439,0.53009259259259255969);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-03-21',4,'',1.0,957,957,'["SYNTHETIC_sentinel-2a_T30TUM_20250321"]',0.64758606274969865435,0.64759516754046053677,0.00010772413765777405568,0.64738041002277901814,0.64781021897810220355,0.64743443557582680547,0.64772986538900301223);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-03-31',5,'',1.0,957,957,'["SYNTHETIC_sentinel-2a_T30TUM_20250331"]',0.74111103579652304329,0.74110760918505180772,0.00010836422542512581259,0.74094895435124807914,0.74134053081421502628,0.74099099099099097198,0.74128233970753654169);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-04-05',6,'',0.95715778474399160202,916,957,'["SYNTHETIC_sentinel-2b_T30TUM_20250405"]',0.77574481872039302565,0.77578475336322871847,0.00011514434084692930172,0.77553763440860223887,0.77593546941519164761,0.77558790593505044785,0.77588525324966384211);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-04-10',7,'',1.0,957,957,'["SYNTHETIC_sentinel-2a_T30TUM_20250410"]',0.80257747554786107446,0.80254634800089341695,0.00011376594396572510471,0.80236448806602722605,0.80276662204373039344,0.80240856378233715862,0.80272260656103544551);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-04-15',8,'',1.0,957,957,'["SYNTHETIC_sentinel-2b_T30TUM_20250415"]',0.82267021544442830993,0.82267765649365109936,0.00011910185066962435162,0.82246941045606236642,0.82287494437027142168,0.82250889679715311064,0.82283552192299136418);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-04-25',9,'',1.0,957,957,'["SYNTHETIC_sentinel-2b_T30TUM_20250425"]',0.84652622261083854127,0.84652916389443322309,0.0001088382838102883442,0.8463587921847246509,0.84676882078614246207,0.8463928967813539872,0.84666518945269220175);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-04-30',10,'',1.0,957,957,'["SYNTHETIC_sentinel-2a_T30TUM_20250430"]',0.85181312672018394405,0.85181898846495129884,0.00012271078223848903973,0.8515728843597695219,0.85198315976069138866,0.85160575858250286973,0.85195035460992918352);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-05-05',11,'',1.0,957,957,'["SYNTHETIC_sentinel-2b_T30TUM_20250505"]',0.85282931751146817678,0.85283687943262409536,9.6764698522216669226e-05,0.85267361881517633737,0.85299977861412434876,0.85270629991126878355,0.85296722763507526465);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-05-10',12,'',1.0,957,957,'["SYNTHETIC_sentinel-2a_T30TUM_20250510"]',0.84916638089988827342,0.8491905078731426526,0.0001095636363328108062,0.84894795127353261943,0.84935755427558690122,0.84902309058614555681,0.84932417460669162867);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-05-15',13,'',1.0,957,957,'["SYNTHETIC_sentinel-2b_T30TUM_20250515"]',0.83948739544219053154,0.8395198933096242877,0.00012314682371434188283,0.839289678135405115,0.8396980461811721641,0.83932534398579672352,0.83966244725738392595);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-05-20',14,'',1.0,957,957,'["SYNTHETIC_sentinel-2a_T30TUM_20250520"]',0.82172437983818147344,0.82170715400044580523,0.00011616052565397469269,0.82153983088562521075,0.82194524816381042686,0.82157953281423801161,0.82186595413048324498);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-05-30',15,'',1.0,957,957,'["SYNTHETIC_sentinel-2a_T30TUM_20250530"]',0.74975243037989391936,0.74977538185085346178,0.00011702201802102890203,0.74955035971223027413,0.74994388327721672737,0.74955116696588863778,0.7498877413560846028);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-06-09',16,'',1.0,957,957,'["SYNTHETIC_sentinel-2a_T30TUM_20250609"]',0.61443576396755372748,0.6144523210610565167,0.00010865757162323079162,0.61427590940288268051,0.61466208476517747438,0.61429225836005496574,0.61457378551787344989);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-06-14',17,'',1.0,957,957,'["SYNTHETIC_sentinel-2b_T30TUM_20250614"]',0.5290904273249110723,0.52908458864426410883,0.00010907873950151277485,0.5289217954650624609,0.52930275654389613571,0.52894858730893923315,0.52922077922077914724);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-06-19',18,'',1.0,957,957,'["SYNTHETIC_sentinel-2a_T30TUM_20250619"]',0.4436388274356843353,0.44363721584251231133,0.00010791610659508216847,0.4434293745607870707,0.44384525205158265048,0.44350679793717773247,0.44379253696315423827);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-06-24',19,'',1.0,957,957,'["SYNTHETIC_sentinel-2b_T30TUM_20250624"]',0.36779585111366630556,0.36777251184834119923,0.00010479430887478628916,0.36757396449704143881,0.36797153024911027907,0.36764705882352943788,0.36792229329542758264);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-07-09',20,'',0.57889237199582022075,554,957,'["SYNTHETIC_sentinel-2a_T30TUM_20250709"]',0.23294562792620321367,0.23292300265508072976,0.00011091154756050053116,0.23273780782230796271,0.23314810340662001086,0.232777374909354684,0.23310810810810816962);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-07-14',21,'',1.0,957,957,'["SYNTHETIC_sentinel-2b_T30TUM_20250714"]',0.2130870845256396806,0.21309090909090896981,0.0001049365084278928718,0.21288447565996601595,0.21328162869607356078,0.21297192642788007055,0.21319427601261217719);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-07-19',22,'',0.94775339602925812165,907,957,'["SYNTHETIC_sentinel-2a_T30TUM_20250719"]',0.20043904520820005066,0.20048484848484846021,8.9920106999658488879e-05,0.2002909796314258084,0.20068027210884353817,0.20029133284777864143,0.20058210041232107934);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-07-24',23,'',1.0,957,957,'["SYNTHETIC_sentinel-2b_T30TUM_20250724"]',0.19252498676305093705,0.19252245690701619285,0.0001051597881299754536,0.19231704352054462825,0.19271844660194165088,0.1924106056920457386,0.1926534291181012104);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-07-29',24,'',1.0,957,957,'["SYNTHETIC_sentinel-2a_T30TUM_20250729"]',0.18766019673758521646,0.18765192027224111837,0.00010274278134000529609,0.18743914313534568161,0.18784933171324430523,0.18754560934079297918,0.1877580762691280769);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-08-13',25,'',1.0,957,957,'["SYNTHETIC_sentinel-2b_T30TUM_20250813"]',0.18172111186326228571,0.1817076137192898122,9.7864995513761795127e-05,0.18148599269183923743,0.18190661478599229328,0.18159688412852970085,0.18188458728999265523);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-08-18',26,'',1.0,957,957,'["SYNTHETIC_sentinel-2a_T30TUM_20250818"]',0.18104210427438019448,0.18102189781021887915,9.5543424248785492371e-05,0.18082258457045502497,0.18122111408416433087,0.18091064037009990661,0.18119824646858259664);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-08-23',27,'',1.0,957,957,'["SYNTHETIC_sentinel-2b_T30TUM_20250823"]',0.18063183830179238564,0.18062317429406032909,0.0001036448259458566971,0.18042366691015337964,0.18082258457045502497,0.18051157125456759877,0.18073461444903909933);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-08-28',28,'',1.0,957,957,'["SYNTHETIC_sentinel-2a_T30TUM_20250828"]',0.18036951115121074851,0.18033584813823311243,9.7260785956513210528e-05,0.1801604668125455777,0.18053527980535274966,0.18023849382746176539,0.18051157125456759877);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-09-02',29,'',1.0,957,957,'["SYNTHETIC_sentinel-2b_T30TUM_20250902"]',0.18021959866470299571,0.18022406234778362565,0.00010178681312425304672,0.1800243605359316823,0.18044747081712059211,0.18004866180048662016,0.18033584813823311243);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-09-12',30,'',1.0,957,957,'["SYNTHETIC_sentinel-2b_T30TUM_20250912"]',0.18009311282109352614,0.18011211308798444341,9.7530254150554506944e-05,0.17984911170601122765,0.18031189083820664542,0.1799610894941634509,0.18022406234778362565);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-09-17',31,'',1.0,957,957,'["SYNTHETIC_sentinel-2a_T30TUM_20250917"]',0.18005713613880749979,0.18004866180048662016,9.9713223035123138256e-05,0.17982456140350869255,0.1802481148139138678,0.17993669345020688044,0.18022406234778362565);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-09-22',32,'',1.0,957,957,'["SYNTHETIC_sentinel-2b_T30TUM_20250922"]',0.18002769325335832295,0.1800243605359316823,0.00010040544723813300083,0.17982456140350869255,0.1802481148139138678,0.17993669345020688044,0.1801604668125455777);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-09-27',33,'',1.0,957,957,'["SYNTHETIC_sentinel-2a_T30TUM_20250927"]',0.18002079606305726455,0.1800243605359316823,9.6573652008326844164e-05,0.17982456140350869255,0.1802481148139138678,0.17993669345020688044,0.18013631937682569872);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-10-02',34,'',1.0,957,957,'["SYNTHETIC_sentinel-2b_T30TUM_20251002"]',0.18001769836344838626,0.1800243605359316823,9.9795331965731544684e-05,0.17982456140350869255,0.1802481148139138678,0.17984911170601122765,0.18013631937682569872);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-10-07',35,'',1.0,957,957,'["SYNTHETIC_sentinel-2a_T30TUM_20251007"]',0.18001383569647497195,0.1800243605359316823,9.7419544888760017898e-05,0.17982456140350869255,0.18022406234778362565,0.17984911170601122765,0.18013631937682569872);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-10-17',36,'',1.0,957,957,'["SYNTHETIC_sentinel-2a_T30TUM_20251017"]',0.18000807771076168806,0.1800243605359316823,9.6131815469000233085e-05,0.17982456140350869255,0.18022406234778362565,0.17984911170601122765,0.18013631937682569872);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-10-22',37,'',1.0,957,957,'["SYNTHETIC_sentinel-2b_T30TUM_20251022"]',0.17999955607149828451,0.1800243605359316823,9.9511248775770223835e-05,0.17976161517878866402,0.18022406234778362565,0.17984911170601122765,0.18013631937682569872);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-10-27',38,'',1.0,957,957,'["SYNTHETIC_sentinel-2a_T30TUM_20251027"]',0.18000102305341830755,0.1800243605359316823,9.9356730584973542673e-05,0.17976161517878866402,0.18022406234778362565,0.17984911170601122765,0.18013631937682569872);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-03-16',39,'cloud',0.0,0,957,'["SYNTHETIC_sentinel-2b_T30TUM_20250316"]',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-03-26',40,'cloud',0.0,0,957,'["SYNTHETIC_sentinel-2b_T30TUM_20250326"]',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-04-20',41,'cloud',0.0,0,957,'["SYNTHETIC_sentinel-2a_T30TUM_20250420"]',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-05-25',42,'cloud',0.0,0,957,'["SYNTHETIC_sentinel-2b_T30TUM_20250525"]',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-06-04',43,'cloud',0.059561128526645766567,57,957,'["SYNTHETIC_sentinel-2b_T30TUM_20250604"]',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-06-29',44,'cloud',0.0,0,957,'["SYNTHETIC_sentinel-2a_T30TUM_20250629"]',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-07-04',45,'cloud',0.059561128526645766567,57,957,'["SYNTHETIC_sentinel-2b_T30TUM_20250704"]',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-08-03',46,'cloud',0.0,0,957,'["SYNTHETIC_sentinel-2b_T30TUM_20250803"]',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-08-08',47,'cloud',0.11076280041797283149,106,957,'["SYNTHETIC_sentinel-2a_T30TUM_20250808"]',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-09-07',48,'cloud',0.0,0,957,'["SYNTHETIC_sentinel-2a_T30TUM_20250907"]',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO profile_observations VALUES(1,'NDVI','2025-10-12',49,'cloud',0.0,0,957,'["SYNTHETIC_sentinel-2b_T30TUM_20251012"]',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE outbox (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  company_id BIGINT,
  subject TEXT NOT NULL,
  at TEXT NOT NULL,
  data TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  held_until TEXT,
  published_at TEXT,
  CONSTRAINT uq_outbox_id UNIQUE (id),
  CONSTRAINT fk_outbox_company FOREIGN KEY (company_id) REFERENCES companies (id)
);
INSERT INTO outbox VALUES(1,'ab679f13-a005-4d5b-a29c-9ea0812bab22','vi_profile_completed',1,'profile/0292060e-9b9e-4610-9949-43b9d25fe1b2','2026-11-27T14:21:32.586513Z','{"profile_uuid":"0292060e-9b9e-4610-9949-43b9d25fe1b2","order_id":1,"field":10,"field_uuid":"5429fd24-3323-4c32-a217-85d8c24de269","season":2,"index_code":"NDVI","status":"active","observations":38}',1,'2026-11-27T14:21:48.096002Z','2026-11-27T14:21:33.114722Z');
CREATE TABLE outbox_seen (
  consumer TEXT NOT NULL,
  event_id TEXT NOT NULL,
  seen_at TEXT NOT NULL,
  CONSTRAINT pk_outbox_seen PRIMARY KEY (consumer, event_id)
);
INSERT INTO outbox_seen VALUES('log','ab679f13-a005-4d5b-a29c-9ea0812bab22','2026-11-27T14:21:33.113723Z');
INSERT INTO outbox_seen VALUES('webhooks','8d0f7f0e-0000-4000-8000-000000000001','2026-11-27T14:20:00.000000Z');
CREATE TABLE jobs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  company_id BIGINT,
  subject BIGINT NOT NULL,
  run_at TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  lease TEXT,
  lease_until TEXT,
  CONSTRAINT uq_jobs_key UNIQUE (kind, key),
  CONSTRAINT fk_jobs_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT ck_jobs_lease CHECK ((lease IS NULL) = (lease_until IS NULL))
);
INSERT INTO jobs VALUES(2,'vi_profile','2',1,2,'2026-11-27T14:21:33.171834Z',1,'sJ0-_syi87I5w5Aus-n9yK_bk-v9fOfLhJ9ySDYGgN4','2026-11-27T14:21:48.609412Z');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('schema_migrations',4);
INSERT INTO sqlite_sequence VALUES('crops',179);
INSERT INTO sqlite_sequence VALUES('companies',2);
INSERT INTO sqlite_sequence VALUES('roles',6);
INSERT INTO sqlite_sequence VALUES('users',4);
INSERT INTO sqlite_sequence VALUES('ledger_transactions',4);
INSERT INTO sqlite_sequence VALUES('farms',2);
INSERT INTO sqlite_sequence VALUES('seasons',2);
INSERT INTO sqlite_sequence VALUES('fields',11);
INSERT INTO sqlite_sequence VALUES('cultivations',10);
INSERT INTO sqlite_sequence VALUES('profile_orders',2);
INSERT INTO sqlite_sequence VALUES('jobs',2);
INSERT INTO sqlite_sequence VALUES('outbox',1);
INSERT INTO sqlite_sequence VALUES('share_grants',1);
CREATE UNIQUE INDEX "uq_schema_migrations_name" ON "schema_migrations" ("name");
CREATE INDEX ix_users_company ON users (company_id);
CREATE INDEX ix_user_roles_role ON user_roles (role_id);
CREATE INDEX ix_refresh_tokens_family ON refresh_tokens (family);
CREATE INDEX ix_refresh_tokens_user ON refresh_tokens (user_id);
CREATE INDEX ix_farms_live ON farms (company_id, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_farms_external_id ON farms (company_id, external_id, id) WHERE deleted_at IS NULL AND external_id <> '';
CREATE INDEX ix_farms_country ON farms (company_id, country, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_farms_created_by ON farms (company_id, created_by, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_farms_updated_at ON farms (company_id, updated_at) WHERE deleted_at IS NULL;
CREATE INDEX ix_fields_live ON fields (company_id, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_fields_farm ON fields (company_id, farm_id, id, area_m2) WHERE deleted_at IS NULL;
CREATE INDEX ix_fields_box ON fields (company_id, min_x, max_x, min_y, max_y, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_fields_external_id ON fields (company_id, external_id, id) WHERE deleted_at IS NULL AND external_id <> '';
CREATE INDEX ix_fields_created_by ON fields (company_id, created_by, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_fields_updated_at ON fields (company_id, updated_at) WHERE deleted_at IS NULL;
CREATE INDEX ix_seasons_live ON seasons (company_id, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_seasons_harvest_year ON seasons (company_id, harvest_year, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_seasons_kind ON seasons (company_id, kind, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_seasons_external_id ON seasons (company_id, external_id, id) WHERE deleted_at IS NULL AND external_id <> '';
CREATE INDEX ix_seasons_created_by ON seasons (company_id, created_by, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_seasons_updated_at ON seasons (company_id, updated_at) WHERE deleted_at IS NULL;
CREATE INDEX ix_cultivations_live ON cultivations (company_id, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_cultivations_field ON cultivations (company_id, field_id, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_cultivations_season ON cultivations (company_id, season_id, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_cultivations_crop ON cultivations (company_id, crop_id, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_cultivations_created_by ON cultivations (company_id, created_by, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_cultivations_updated_at ON cultivations (company_id, updated_at) WHERE deleted_at IS NULL;
CREATE INDEX ix_share_grants_company ON share_grants (company_id, id);
CREATE INDEX ix_share_grants_grantee ON share_grants (grantee_company_id, company_id) WHERE status = 'accepted';
CREATE INDEX ix_ledger_transactions_company ON ledger_transactions (company_id, id);
CREATE INDEX ix_ledger_transactions_field ON ledger_transactions (company_id, field_id, id);
CREATE TRIGGER tr_ledger_transactions_no_update BEFORE UPDATE ON ledger_transactions
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER tr_ledger_transactions_no_delete BEFORE DELETE ON ledger_transactions
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER tr_ledger_entries_no_update BEFORE UPDATE ON ledger_entries
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER tr_ledger_entries_no_delete BEFORE DELETE ON ledger_entries
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE INDEX ix_field_charges_company ON field_charges (company_id, field_id);
CREATE INDEX ix_profile_orders_company ON profile_orders (company_id, id);
CREATE INDEX ix_profile_orders_season ON profile_orders (company_id, season_id, id);
CREATE INDEX ix_profile_orders_status ON profile_orders (company_id, status, id);
CREATE INDEX ix_profile_orders_created_by ON profile_orders (company_id, created_by, id);
CREATE INDEX ix_profile_orders_updated_at ON profile_orders (company_id, updated_at);
CREATE INDEX ix_outbox_pending ON outbox (seq) WHERE published_at IS NULL;
CREATE INDEX ix_outbox_company ON outbox (company_id, seq);
CREATE INDEX ix_jobs_waiting ON jobs (run_at, id) WHERE lease IS NULL;
CREATE INDEX ix_jobs_held ON jobs (lease_until, id) WHERE lease IS NOT NULL;
COMMIT;
