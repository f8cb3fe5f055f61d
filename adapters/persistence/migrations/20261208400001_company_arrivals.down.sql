DROP TABLE company_arrivals;
