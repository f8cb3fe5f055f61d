DROP TABLE company_exports;
