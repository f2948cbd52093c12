from .access import Access as Access, Space as Space, access as access, table_space as table_space
